"""What the bot asks of a workspace: scopes and events. The manifest and `rigwise slack doctor` are held against this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# The scope that each method of the Web API wants (docs.slack.dev/reference/methods); empty: none.
METHODS: Final[Mapping[str, str]] = {
    "apps.connections.open": "",
    "assistant.threads.setStatus": "assistant:write",
    "assistant.threads.setSuggestedPrompts": "assistant:write",
    "auth.test": "",
    "chat.appendStream": "chat:write",
    "chat.postEphemeral": "chat:write",
    "chat.postMessage": "chat:write",
    "chat.startStream": "chat:write",
    "chat.stopStream": "chat:write",
    "chat.update": "chat:write",
    "conversations.history": "im:history",
    "conversations.open": "im:write",
    "conversations.replies": "channels:history",
    "files.completeUploadExternal": "files:write",
    "files.getUploadURLExternal": "files:write",
    "users.info": "users:read",
    "views.open": "",
    "views.publish": "",
}
# The scope that each event wants (docs.slack.dev/reference/events).
EVENTS: Final[Mapping[str, str]] = {
    "app_home_opened": "",
    "app_mention": "app_mentions:read",
    "app_uninstalled": "",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
}
COMMAND: Final = "/hardware"
SHORTCUT: Final = "rigwise_ask"
SCOPES: Final = tuple(sorted({*METHODS.values(), *EVENTS.values(), "commands"} - {""}))
