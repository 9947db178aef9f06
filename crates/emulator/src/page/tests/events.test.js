import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, open } from "../events.js";
import { chatOf, on, state } from "../store.js";

/** The requests that wait for an answer: path → how to answer each, oldest first. */
const asked = new Map();
const sources = new Map();

globalThis.document = { hidden: false };
globalThis.EventSource = class {
  constructor(path) {
    sources.set(path, this);
  }
};
globalThis.fetch = (path) =>
  new Promise((answer) => {
    if (!asked.has(path)) asked.set(path, []);
    asked.get(path).push((body, status = 200) => answer({ ok: status === 200, status, json: async () => body }));
  });

/** Lets what waits for nothing more come to its end; changes are gathered for a moment. */
const settled = () => new Promise((done) => setTimeout(done, 40));

async function answer(path, body, at = 0) {
  while (!(asked.get(path)?.length > at)) await settled();
  asked.get(path).splice(at, 1)[0](body);
  await settled();
}

const told = (event) => sources.get("/emulator/events").onmessage({ data: JSON.stringify(event) });
const known = (names, more = {}) => ({
  now: Date.now(),
  bot: {},
  people: names.map((first_name, at) => ({ id: at + 1, first_name })),
  groups: [],
  faults: [],
  limits: false,
  ...more,
});

/** The page has loaded, with these people. */
async function loaded(names) {
  asked.clear();
  follow(() => {});
  sources.get("/emulator/events").onopen();
  await answer("/playground/bot", { ready: true });
  await answer("/emulator/updates?limit=300", { updates: [] });
  await answer("/emulator/calls?limit=300", { calls: [] });
  await answer("/playground/flows", { flows: [] });
  await answer("/emulator/state", known(names));
  for (const at of names.keys()) await answer(`/emulator/chats/${at + 1}`, { messages: [] });
}

test("a page that is refused everything says so, and asks for the reason once", async () => {
  follow(() => {});
  const source = sources.get("/emulator/events");
  source.onerror();
  await settled();
  asked.get("/emulator/state").shift()({}, 403);
  await settled();
  assert.equal(state.refused, true);
  source.onerror();
  assert.equal(asked.get("/emulator/state").length, 0);
  state.refused = false;
});

test("of two answers that come out of order the one asked for last counts", async () => {
  await loaded(["Ann"]);
  told({ type: "people" });
  told({ type: "people" });
  await answer("/emulator/state", known(["Ann", "Bob", "Cid"]), 1);
  await answer("/emulator/state", known(["Ann", "Bob"]));
  assert.equal(state.people.size, 3);
});

test("what is heard of faults is not covered by an older answer", async () => {
  await loaded(["Ann"]);
  told({ type: "people" });
  told({ type: "faults", faults: [{ id: 1 }] });
  told({ type: "limits", on: true });
  await answer("/emulator/state", known(["Ann", "Bob"]));
  assert.equal(state.people.size, 2);
  assert.deepEqual([state.faults.length, state.limits], [1, true]);
});

test("a dialogue that is as it was is not told of", async () => {
  await loaded(["Ann"]);
  let times = 0;
  on("dialogue", () => (times += 1));
  const dialogue = { live: { flow: "photo", state: "shot" }, waiting: [] };
  open(1);
  await answer("/playground/dialogues/1:1", dialogue);
  const before = times;
  told({ type: "transition", dialogue: "1:1" });
  await answer("/playground/dialogues/1:1", { ...dialogue });
  assert.equal(times, before);
  told({ type: "transition", dialogue: "1:1" });
  await answer("/playground/dialogues/1:1", { ...dialogue, live: null });
  assert.equal(times, before + 1);
});

test("in chats that were cleared nothing is unread", async () => {
  await loaded(["Ann", "Bob"]);
  chatOf(2).unread = 3;
  told({ type: "reset" });
  assert.equal(chatOf(2).unread, 0);
});
