"""What Slack takes at most. Each number stands with its source; the tests' fake of Slack refuses what is beyond.

Lengths are counted in UTF-16 units, the larger of the two ways to count.
"""

from __future__ import annotations

from typing import Final

BLOCKS: Final = 50  # docs.slack.dev/reference/block-kit/blocks: blocks in a message
MODAL_BLOCKS: Final = 100  # the same page: blocks in a modal or on the home tab
SECTION: Final = 3000  # …/blocks/section-block: characters of its text
CONTEXT_ELEMENTS: Final = 10  # …/blocks/context-block
CONTEXT_TEXT: Final = 3000  # …/composition-objects/text-object: the longest text object
ACTIONS: Final = 25  # …/blocks/actions-block
BUTTON_TEXT: Final = 75  # …/block-elements/button-element
BUTTON_VALUE: Final = 2000  # the same page
ACTION_ID: Final = 255  # the same page
HEADER: Final = 150  # …/blocks/header-block
MODAL_TITLE: Final = 24  # …/views/modal-views
MESSAGE_CHARS: Final = (
    12_000  # all texts of one message: slackapi/bolt-js#2509, refused at about 13,200
)
FALLBACK: Final = (
    4000  # the message's own text: chat.postMessage; longer is msg_too_long on chat.update
)
TABLES: Final = 1  # …/blocks/table-block: tables of one message (only_one_table_allowed)
TABLE_ROWS: Final = 100  # …/blocks/table-block
TABLE_COLUMNS: Final = 20  # the same page
TABLE_CHARS: Final = 10_000  # all cells of a message's tables: NousResearch/hermes-agent#52746


def units(text: str) -> int:
    """The length of a text as Slack's clients count it."""
    return len(text) + sum(character > "\uffff" for character in text)
