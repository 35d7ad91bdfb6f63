"""A process with a bot, to be killed: python -m tests.service.slack.storm_bot FOLDER URL"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from service.slack.assembly import BotOptions, make_bot
from service.slack.desk import DeskOptions
from service.slack.sockets import SocketDoor
from service.store.keeper import Keeper
from service.store.spool import Spool
from service.store.store import Store
from tests.service.slack.rig_for_tests import Echo
from tests.slack_fake.api import APP_TOKEN, TOKEN


async def main(folder: Path, url: str) -> None:
    store = Store(f"sqlite:///{folder / 'store.sqlite3'}")
    keeper = Keeper(store, Spool(folder / "spool"))
    keeper.start()
    desk = DeskOptions(workers=8, lease_s=3.0)
    options = BotOptions(api_url=f"{url}api/", bot_token=TOKEN, desk=desk)
    bot = make_bot(store, keeper, Echo(delay_s=0.05), options=options)
    door = SocketDoor(bot.app, app_token=APP_TOKEN, api_url=f"{url}api/")
    await asyncio.gather(bot.run(), door.run())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
