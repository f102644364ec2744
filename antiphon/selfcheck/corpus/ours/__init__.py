"""The library's own mechanisms as they claim to be, beside twins with a slip."""
