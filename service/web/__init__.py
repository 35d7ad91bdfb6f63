"""The page in the browser: shells made here, scripts and styles as files, data from /v1."""
