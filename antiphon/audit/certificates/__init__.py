"""Certificates: exact answers that are checked without this library."""

from antiphon.audit.certificates.certificate import READER, Certificate

__all__ = ["READER", "Certificate"]
