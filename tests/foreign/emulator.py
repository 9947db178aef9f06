"""The emulator's control API from Python, as small as it can be: nothing but the standard library."""

import json
import time
import urllib.request


class Emulator:
    def __init__(self, address: str):
        self.address = address

    def __call__(self, verb: str, path: str, **body):
        data = json.dumps(body).encode() if verb != "GET" else None
        request = urllib.request.Request(f"{self.address}/emulator{path}", data, method=verb)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def person(self, name: str) -> "Person":
        return Person(self, self("POST", "/people", name=name)["id"])


class Person:
    def __init__(self, emulator: Emulator, id: int):
        self.emulator, self.id, self.heard = emulator, id, 0

    def sends(self, text: str | None = None, **more):
        words = {"text": text} if text else {}
        return self.emulator("POST", "/messages", **{"from": self.id}, **words, **more)

    def presses(self, label: str):
        return self.emulator("POST", "/press", **{"from": self.id}, label=label)

    def chat(self) -> dict:
        return self.emulator("GET", f"/chats/{self.id}")

    def said(self) -> list[dict]:
        return [message for message in self.chat()["messages"] if message["by"] == "bot" and not message["deleted"]]

    def sees(self, text: str) -> dict:
        """Waits until the bot has said this in the chat, in a message or a caption, and answers that message."""
        return until(
            lambda: next((it for it in self.said() if text == (it.get("text") or it.get("caption"))), None),
            lambda: f"`{text}` in {[it.get('text') or it.get('caption') for it in self.said()]}",
        )


def until(found, what, patience: float = 30.0):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if result := found():
            return result
        time.sleep(0.05)
    raise AssertionError(f"waited in vain for {what()}")
