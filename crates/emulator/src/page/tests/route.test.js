import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { hidden: false, body: { dataset: {} } };
globalThis.fetch = async () => ({ ok: true, json: async () => ({}) });
const told = [];
globalThis.addEventListener = (name, listener) => name === "hashchange" && told.push(listener);
globalThis.location = {
  hash: "#/-4001/chat",
  replace(hash) {
    this.hash = hash;
    told.forEach((listener) => listener());
  },
};

const { start } = await import("../route.js");
const { changed, chatOf, speakerIn, state } = await import("../store.js");

/** Changes are gathered for a moment. */
const settled = () => new Promise((done) => setTimeout(done, 40));

test("whoever is in a group that becomes a supergroup stays in it, as who they were", async () => {
  state.people = new Map([1, 2].map((id) => [id, { id, first_name: "Ann" }]));
  state.groups = new Map([[-4001, { id: -4001, members: [1, 2] }]]);
  start();
  assert.equal(state.open, -4001);
  state.speakers.set(-4001, 2);
  chatOf(-4001).messages.set(7, { message_id: 7, migrate_to_chat_id: -100 });
  state.groups = new Map([[-100, { id: -100, members: [1, 2] }]]);
  changed("people");
  await settled();
  assert.equal(state.open, -100);
  assert.equal(location.hash, "#/-100/chat");
  assert.equal(speakerIn(-100), 2);
});

test("where the open chat is gone for good, the first is opened, and the address says so", async () => {
  state.groups = new Map();
  changed("people");
  await settled();
  assert.equal(state.open, 1);
  assert.equal(location.hash, "#/1/list");
});
