"""."""

TEXTS: dict[str, str] = {}
