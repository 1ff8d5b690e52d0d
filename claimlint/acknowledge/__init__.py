"""Acknowledging: findings that an author has seen and accepts, by a directive in the draft or by the baseline.

Only LOW-WARN and INFO can be acknowledged, and only with a reason. What is wrong with an acknowledgement is
itself a finding (family ACK).
"""
