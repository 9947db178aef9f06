import assert from "node:assert/strict";
import { test } from "node:test";
import { named } from "../bubble.js";

const at = (hours, minutes) => new Date(2026, 0, 5, hours, minutes).getTime() / 1000;
const ann = { id: 1, first_name: "Ann", last_name: "Lee" };

test("whoever hears a message hears who said it, and when", () => {
  assert.equal(named({ from: ann, date: at(14, 28), text: "Hello" }), "Ann Lee, 14:28: Hello");
  assert.equal(named({ from: ann, date: at(9, 5), photo: [{}], caption: "Look" }), "Ann Lee, 09:05: 📷 Photo: Look");
  assert.equal(named({ date: at(9, 5), sender_chat: { title: "News" }, text: "x" }), "News, 09:05: x");
});

test("what a deleted message said is not read out", () => {
  assert.equal(named({ from: ann, date: at(14, 28), text: "Secret", deleted: true }), "Ann Lee, 14:28: Message deleted");
});
