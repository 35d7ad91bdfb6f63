"""From a workload to a need, and from a need to machines: pure functions over frozen values."""
