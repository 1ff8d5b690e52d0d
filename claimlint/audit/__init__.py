"""The live audit: from a draft and its sources to verdict rows (contract, section 7)."""
