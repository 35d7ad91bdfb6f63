"""The settings of the bot in Slack."""

from __future__ import annotations

from typing import Final

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

_NONE: Final = SecretStr("")


class SlackSettings(BaseSettings):
    """A part of the settings; `service.settings` reads them."""

    slack_bot_token: SecretStr = Field(
        default=_NONE,
        description="Token of the bot, `xoxb-…`, for one workspace (extra `slack`); it switches the bot on.",
    )
    slack_app_token: SecretStr = Field(
        default=_NONE,
        description="Token of the app, `xapp-…`, for Socket Mode: the service opens the connection itself.",
    )
    slack_signing_secret: SecretStr = Field(
        default=_NONE,
        description="Secret that Slack signs with, for events over HTTP at `/slack/events`.",
    )
    slack_client_id: str = Field(
        default="",
        description="Id of the app, for installation in several workspaces at `/slack/install`; it switches the bot on, "
        "and wants RIGWISE_SLACK_CLIENT_SECRET, RIGWISE_PUBLIC_URL and RIGWISE_STORE_KEY.",
    )
    slack_client_secret: SecretStr = Field(
        default=_NONE, description="Secret of the app, for that installation."
    )
    slack_api_url: str = Field(
        default="https://slack.com/api/",
        pattern=r"^(https://\S+|http://(127\.0\.0\.1|localhost)[:/]\S*)/$",
        description="Address of Slack's Web API, with a slash at the end; an emulator's for trials.",
    )

    slack_collections: str = Field(
        default="",
        description="Collections whose documents the members of the workspaces see beside those that are in none, with "
        "commas between; `*`: all.",
    )
    slack_digest_channel: str = Field(
        default="",
        pattern=r"^([CG][A-Z0-9]+)?$",
        description="Id of the channel, such as `C0123ABCD`, that is told once a day what was not answered, what was found "
        "wrong, and which documents were refused; empty: none.",
    )

    @field_validator("slack_bot_token", "slack_app_token")
    @classmethod
    def _kind(cls, token: SecretStr, info: object) -> SecretStr:
        wanted = "xoxb-" if getattr(info, "field_name", "") == "slack_bot_token" else "xapp-"
        if token.get_secret_value() and not token.get_secret_value().startswith(wanted):
            raise ValueError(f"this token begins with {wanted}")
        return token

    @property
    def slack_sees(self) -> frozenset[str] | None:
        """The collections that members see; None: all."""
        names = frozenset(each.strip() for each in self.slack_collections.split(",")) - {""}
        return None if "*" in names else names

    @property
    def slack_wanted(self) -> bool:
        """Whether the bot is to run."""
        return bool(self.slack_bot_token.get_secret_value() or self.slack_client_id)

    def slack_fault(self, *, public_url: str | None, keys: tuple[str, ...]) -> str:
        """What is missing for the bot to run; empty: nothing."""
        if not self.slack_wanted:
            return ""
        if not (
            self.slack_app_token.get_secret_value() or self.slack_signing_secret.get_secret_value()
        ):
            return "slack: set RIGWISE_SLACK_APP_TOKEN (Socket Mode) or RIGWISE_SLACK_SIGNING_SECRET (HTTP)"
        if self.slack_client_id and not (
            self.slack_client_secret.get_secret_value() and public_url and keys
        ):
            return (
                "slack_client_id: set RIGWISE_SLACK_CLIENT_SECRET, RIGWISE_PUBLIC_URL and "
                "RIGWISE_STORE_KEY too"
            )
        if self.slack_digest_channel and not self.slack_bot_token.get_secret_value():
            return "slack_digest_channel: set RIGWISE_SLACK_BOT_TOKEN, whose workspace the channel is in"
        return ""
