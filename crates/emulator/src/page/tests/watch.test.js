import assert from "node:assert/strict";
import { test } from "node:test";
import { heard } from "../store.js";
import { watch } from "../watch.js";

const update = (update_id, chat) => ({ type: "update", update_id, body: { update_id, message: { chat: { id: chat } } } });

test("what the bot is told meanwhile in the same chat is noticed, and what was tried is not", async () => {
  const [trial, other] = [watch(1, "1:1"), watch(1, "1:1")];
  heard(update(7, 1));
  heard(update(8, 2));
  assert.equal((await trial.end([7], 0)).isMeddled, false);
  heard(update(9, 1));
  assert.equal((await other.end([7], 0)).isMeddled, true);
});

test("what the bot says and where it goes is collected, of this chat alone", async () => {
  const watched = watch(1, "1:1");
  for (const chat of [1, 2]) {
    heard({ type: "message", chat, message: { by: "bot", text: `to ${chat}` } });
    heard({ type: "message", chat, message: { by: "person" } });
    heard({ type: "transition", dialogue: `${chat}:${chat}`, from: "start", to: "shot" });
  }
  const { replies, moves } = await watched.end([], 0);
  assert.deepEqual(replies.map(({ text }) => text), ["to 1"]);
  assert.deepEqual(moves.map(({ dialogue }) => dialogue), ["1:1"]);
});
