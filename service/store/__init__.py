"""What outlives a process: answers, feedback, keys, conversations and the inbox of Slack, in one SQL database."""
