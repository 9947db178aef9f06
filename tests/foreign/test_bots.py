"""Bots written with other libraries, unmodified, against the emulator: what their users do works as with Telegram.

BINARY is the emulator's program; the fixtures start it and each bot, in both ways of getting updates.
"""

import os
import pathlib
import re
import socket
import subprocess
import sys

import pytest
from emulator import Emulator, until

HERE = pathlib.Path(__file__).parent
PAGE = pathlib.Path(os.environ["BINARY"]).parents[2] / "docs/emulator.md"
TOKEN = "7000002:AAforeign-bots-token_0123456789abcdef"
BOTS = {"aiogram": [sys.executable, HERE / "aiogram/bot.py"], "grammy": ["node", HERE / "grammy/bot.js"]}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module", params=[(bot, mode) for bot in BOTS for mode in ("webhook", "polling")], ids="-".join)
def emulator(request, tmp_path_factory):
    bot, mode = request.param
    address = f"127.0.0.1:{free_port()}"
    log = open(tmp_path_factory.mktemp("log") / "log", "w")
    server = subprocess.Popen([os.environ["BINARY"], "emulator", "--listen", address], stdout=log, stderr=log)
    emulator = Emulator(f"http://{address}")
    until(lambda: reachable(emulator), lambda: "the emulator")
    environment = os.environ | {"API": emulator.address, "TOKEN": TOKEN}
    how = ["polling"] if mode == "polling" else ["webhook", str(free_port())]
    bot = subprocess.Popen([*BOTS[bot], *how], env=environment, stdout=log, stderr=log)
    wanted = "getupdates" if mode == "polling" else "setwebhook"
    until(lambda: any(call["method"].lower() == wanted for call in calls(emulator)), lambda: f"{wanted}: {open(log.name).read()}")
    yield emulator
    for process in (bot, server):
        process.terminate()
        process.wait(timeout=20)


def reachable(emulator) -> bool:
    try:
        return bool(emulator("GET", "/state"))
    except OSError:
        return False


def calls(emulator) -> list[dict]:
    return emulator("GET", "/calls")["calls"]


@pytest.fixture
def anna(emulator):
    return emulator.person("Anna & <Co>")


def test_a_person_is_greeted(emulator):
    anna = emulator.person("Anna")
    anna.sends("/start")
    anna.sees("Hello Anna, choose")
    anna.presses("One")
    anna.sees("chosen: one")


def test_a_greeting_has_formatting_and_buttons(emulator):
    person = emulator.person("Anna")
    person.sends("/start")
    hello = person.sees("Hello Anna, choose")
    assert {"type": "bold", "offset": 6, "length": 4} in hello["entities"]
    labels = [button["text"] for row in hello["reply_markup"]["inline_keyboard"] for button in row]
    assert labels == ["One", "Two"]


def test_a_press_is_answered_and_edits_the_message_in_place(emulator):
    person = emulator.person("Boris")
    person.sends("/start")
    hello = person.sees("Hello Boris, choose")
    press = person.presses("Two")
    edited = person.sees("chosen: two")
    assert edited["message_id"] == hello["message_id"] and edited["edited"]
    answer = emulator("GET", f"/callbacks/{press['callback_query_id']}")
    assert answer["answered"] and answer["text"] == "you chose two"
    person.presses("Two")
    person.sees(
        "edit: Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a "
        "current content and reply markup of the message"
    )


def test_a_deep_link_carries_its_code(emulator):
    person = emulator.person("Vera")
    person.sends("/start ref_42")
    person.sees("code ref_42")


def test_a_contact_is_shared_by_the_reply_keyboard_which_then_goes_away(emulator, anna):
    anna.sends("/keyboard")
    anna.sees("Your number?")
    assert anna.chat()["keyboard"]["keyboard"][0][0]["request_contact"]
    anna.presses("My number")
    until(lambda: any("own True" in it.get("text", "") for it in anna.said()), lambda: str(anna.said()))
    assert anna.chat()["keyboard"] is None


def test_a_photo_can_be_downloaded_sent_back_and_uploaded(emulator, anna):
    anna.sends(photo=True, caption="receipt")
    back = until(
        lambda: next((it for it in anna.said() if "bytes, receipt" in it.get("caption", "")), None), lambda: str(anna.said())
    )
    assert int(back["caption"].split()[0]) > 0 and back["photo"]
    assert anna.sees("uploaded")["photo"]


def test_an_album_is_one_group(emulator, anna):
    anna.sends("/album")
    anna.sees("album of 2, one group True")


def test_commands_are_kept(emulator, anna):
    anna.sends("/commands")
    anna.sees("commands ['start']")
    assert emulator("GET", "/state")["bot"]["commands"] == [{"command": "start", "description": "Begin"}]


def test_typing_and_deleting_and_editing_and_replying(emulator, anna):
    anna.sends("/typing")
    anna.sees("typed")
    anna.sends("/delete")
    anna.sees("deleted")
    assert "this goes away" not in [it.get("text") for it in anna.said()]
    said = anna.sends("an echo")
    assert anna.sees("an echo")["reply_to_message"]["message_id"] == said["message_id"]
    emulator("POST", "/messages/edit", **{"from": anna.id}, message_id=said["message_id"], text="another")
    anna.sees("edited to another")


def test_errors_have_telegrams_words(emulator, anna):
    anna.sends("/errors")
    wanted = [
        "chat not found",
        "text must be non-empty",
        "message is too long",
        "can't parse entities: Can't find end tag corresponding to start tag \"b\"",
        "BUTTON_DATA_INVALID",
        "message to edit not found",
        "message to delete not found",
        "message to be replied not found",
        "query is too old and response timeout expired or query ID is invalid",
    ]
    until(lambda: len(anna.said()) >= len(wanted), lambda: str([it.get("text") for it in anna.said()]))
    heard = [it["text"] for it in anna.said()]
    for text, words in zip(heard, wanted, strict=True):
        assert text.endswith(f"Bad Request: {words}"), heard


def test_too_many_requests_are_waited_for(emulator, anna):
    emulator("POST", "/faults", on="call", kind="too_many", method="sendMessage", chat=anna.id, times=1, retry_after=1)
    anna.sends("/busy")
    anna.sees("after 1")


def test_an_update_that_was_lost_on_the_way_comes_again(emulator, anna):
    """Over a webhook; a poll that was lost confirms nothing, and the next one gets the same."""
    has_webhook = emulator("GET", "/state")["webhook"]
    lost = {"on": "delivery", "kind": "close_before", "chat": anna.id} if has_webhook else {"on": "call", "kind": "reset", "method": "getUpdates"}
    emulator("POST", "/faults", **lost, times=1)
    anna.sends("in spite of all")
    anna.sees("in spite of all")
    last = lambda: emulator("GET", f"/updates?chat={anna.id}")["updates"][-1]
    until(lambda: last()["state"] == ("acknowledged" if has_webhook else "confirmed"), lambda: str(last()))
    assert not has_webhook or len(last()["attempts"]) == 2, last()


def test_a_person_who_blocked_the_bot_hears_nothing(emulator, anna):
    said = anna.sends("hello")
    anna.sees("hello")
    until(lambda: emulator("GET", "/state")["pending"] == 0, lambda: "the bot to be done")
    emulator("POST", f"/people/{anna.id}/block", blocked=True)
    emulator("POST", f"/updates/{said['update_id']}/again")
    refused = lambda: [call["answer"] for call in emulator("GET", f"/calls?chat={anna.id}")["calls"] if call["status"] == 403]
    until(refused, lambda: str(calls(emulator)[-3:]))
    assert refused()[0]["description"] == "Forbidden: bot was blocked by the user"


def test_the_page_of_the_emulator_shows_one_of_these():
    shown = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert shown and shown[1] in pathlib.Path(__file__).read_text()
