import assert from "node:assert/strict";
import { test } from "node:test";
import { button, timesTaken } from "../seen.js";
import { chatOf, state } from "../store.js";

const keyboard = (label) => ({ inline_keyboard: [[{ text: "Open", url: "https://example.org" }, { text: label, callback_data: label }]] });

function write(chat, messages) {
  chatOf(chat).messages = new Map(messages.map((message) => [message.message_id, { by: "bot", ...message }]));
}

test("a delivery that failed is none that the bot took", () => {
  const attempts = [{ status: 200 }, { status: 503 }, { error: "the connection broke" }, { status: 204 }];
  assert.equal(timesTaken({ attempts }), 2);
  assert.equal(timesTaken({}), 0);
  assert.equal(timesTaken(undefined), 0);
});

test("in the general topic of a forum no button of another topic is pressed", () => {
  state.groups.set(-7, { id: -7, forum: true });
  state.open = -7;
  write(-7, [
    { message_id: 1, reply_markup: keyboard("general") },
    { message_id: 2, message_thread_id: 5, reply_markup: keyboard("topic") },
  ]);
  assert.equal(button().callback_data, "general");
  state.threads.set(-7, 5);
  assert.equal(button().callback_data, "topic");
  state.threads.set(-7, 6);
  assert.equal(button(), null);
});

test("the button of the bot's last message is pressed, whatever was said or taken away since", () => {
  state.open = 3;
  write(3, [
    { message_id: 1, reply_markup: keyboard("first") },
    { message_id: 2, reply_markup: keyboard("second") },
    { message_id: 3, reply_markup: keyboard("gone"), deleted: true },
    { message_id: 4, by: "person" },
  ]);
  assert.deepEqual(button(), { message_id: 2, text: "second", callback_data: "second" });
});

test("where the bot's last message has no button, an older one is not pressed", () => {
  state.open = 3;
  write(3, [{ message_id: 1, reply_markup: keyboard("menu") }, { message_id: 2, by: "person" }, { message_id: 3, text: "A photo, please" }]);
  assert.equal(button(), null);
  state.open = null;
  assert.equal(button(), null);
});
