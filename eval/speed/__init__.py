"""How fast, how close to the machine's limits, at what cost: embedding and answers, measured on this machine."""
