"""Audits of a whole privacy curve: f-DP (Dong, Roth, Su 2022)."""
