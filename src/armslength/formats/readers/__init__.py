"""The readers: one module a format, or a few with its name in front. Registered in `registry`."""
