"""What can go wrong between Rigwise and Slack.

ServiceError
├── SlackRefused    Slack refused a call for good
├── SlackAway       Slack cannot be reached, or is limited for longer than we wait
└── NoWorkspace     no token is known for a workspace
"""

from __future__ import annotations

from service.errors import ServiceError


class SlackRefused(ServiceError):
    """Slack refused a call, and would refuse it again."""

    code = "slack_refused"

    def __init__(self, method: str, reason: str) -> None:
        super().__init__(f"Slack refused {method}: {reason}; run `rigwise slack doctor`")
        self.method = method
        self.reason = reason


class SlackAway(ServiceError):
    """Slack cannot be reached now."""

    code = "slack_away"

    def __init__(self, method: str, reason: str) -> None:
        super().__init__(f"Slack cannot be reached for {method}: {reason}")


class NoWorkspace(ServiceError):
    """No token is known for a workspace."""

    code = "no_workspace"

    def __init__(self, team: str) -> None:
        super().__init__(
            f"no token for the workspace {team!r}; install the app there, or set RIGWISE_SLACK_BOT_TOKEN"
        )
