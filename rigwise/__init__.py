"""The face: one command line over the index, the service and the eval suite."""
