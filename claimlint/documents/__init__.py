"""Readers: from the bytes of a file to typed documents that remember their places."""
