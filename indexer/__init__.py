"""From a folder of documents to an immutable index."""
