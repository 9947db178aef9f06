import assert from "node:assert/strict";
import { test } from "node:test";
import { preview, rows, service, summary } from "../rows.js";

const NOON = Date.UTC(2026, 0, 10, 12) / 1000;
let id = 0;
const message = (from, more = {}) => ({ message_id: ++id, date: NOON, from: { id: from }, by: "person", ...more });

test("a day stands before its first message", () => {
  const all = rows([message(1, { date: NOON - 86_400 }), message(1), message(1)], NOON * 1000);
  assert.deepEqual(all.map(({ kind, words }) => words ?? kind), ["Yesterday", "message", "Today", "message", "message"]);
});

test("the parts of an album are one row", () => {
  const part = () => message(1, { media_group_id: "7", photo: [{}] });
  const all = rows([part(), part(), message(1), part()], NOON * 1000);
  assert.deepEqual(all.slice(1).map(({ messages }) => messages.length), [2, 1, 1]);
});

test("an album is what is left of it", () => {
  const [first, second] = ["7", "7"].map((media_group_id) => message(1, { media_group_id, photo: [{}] }));
  const left = (...gone) => rows([first, second].map((part) => ({ ...part, deleted: gone.includes(part) })), NOON * 1000)[1].messages;
  assert.deepEqual(left(first).map((part) => part.message_id), [second.message_id]);
  assert.equal(left(first, second).length, 2);
});

test("only the last of one sender's messages has a tail", () => {
  const all = rows([message(1), message(1), message(2)], NOON * 1000).slice(1);
  assert.deepEqual(all.map(({ isLast }) => isLast), [false, true, true]);
});

test("a message that nobody wrote is a service line", () => {
  assert.equal(service(message(1, { new_chat_members: [{ first_name: "Ann" }] })), "Ann joined");
  assert.equal(rows([message(1, { migrate_to_chat_id: -1 })], NOON * 1000)[1].kind, "service");
});

test("a message has a line for the list", () => {
  assert.equal(summary({ text: "hi" }), "hi");
  assert.equal(summary({ photo: [{}], caption: "boiler" }), "📷 Photo: boiler");
  assert.equal(summary({ dice: {} }), "Message");
});

test("the line of a chat says who wrote, and of what nobody wrote it does not", () => {
  const ann = { by: "person", from: { id: 1, first_name: "Ann" }, text: "Hi" };
  assert.equal(preview(ann, false), "You: Hi");
  assert.equal(preview(ann, true), "Ann: Hi");
  assert.equal(preview({ by: "bot", from: { id: 9, first_name: "Bot" }, text: "Hello" }, true), "Hello");
  assert.equal(preview({ by: "person", from: ann.from, migrate_from_chat_id: -4 }, true), "The group became this supergroup");
});
