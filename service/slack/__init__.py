"""The Slack bot: the same answer as the other doors, in the thread, exactly once."""
