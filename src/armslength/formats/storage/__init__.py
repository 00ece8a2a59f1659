"""From what lies on disk to records: files, compression, archives, rows, and where keys stand."""
