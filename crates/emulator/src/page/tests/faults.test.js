import assert from "node:assert/strict";
import { test } from "node:test";
import { byId, held, settled } from "./page.js";

/** What each request is answered with: path → what makes the answer, or nothing for one that never comes. */
const answers = new Map();
const asked = [];
globalThis.fetch = async (path, { method }) => {
  asked.push(`${method} ${path}`);
  const answer = answers.get(path);
  return answer ? { ok: true, json: async () => answer() } : new Promise(() => {});
};

const { start, tryOut } = await import("../faults.js");
const { changed, chatOf, heard, state } = await import("../store.js");

state.people.set(1, { id: 1, first_name: "Ann" });
state.open = 1;
state.process = { ready: true };
start();

const result = (id) => held(byId("trials"), `result-${id}`)[0].textContent;
const look = (id) => held(byId("trials"), `fault-${id}`)[0].attributes.class.replace("trial ", "");

function faultsAre(faults) {
  state.faults = faults;
  heard({ type: "faults", faults });
}

test("a refusal that is taken back is waited for no longer", async () => {
  answers.set("/emulator/faults", () => ({ id: 4 }));
  const tried = tryOut("limit");
  await settled();
  faultsAre([{ id: 4 }]);
  assert.equal(result("limit"), "Armed for Ann: now send something.");
  faultsAre([]);
  await tried;
  assert.equal(look("limit"), "hint");
  assert.match(result("limit"), /taken back/);
});

test("a message that was refused and sent again is not lost, even if the fault is known to be over first", async () => {
  const call = (status, at) => heard({ type: "call", method: "sendMessage", params: { chat_id: 1 }, status, at });
  const tried = tryOut("limit");
  await settled();
  faultsAre([{ id: 4 }]);
  faultsAre([]);
  setTimeout(() => call(429, 1000), 200);
  setTimeout(() => call(200, 4100), 300);
  await tried;
  assert.match(result("limit"), /sent after 3.1\u00a0s: nothing lost/);
});

test("where nothing is sent within a minute the fault is taken back", async () => {
  answers.set("/emulator/faults/4", () => ({ faults: [] }));
  const tried = tryOut("limit");
  await settled();
  faultsAre([{ id: 4 }]);
  const then = performance.now() + 61_000;
  performance.now = () => then;
  await tried;
  delete performance.now;
  assert.equal(asked.at(-1), "DELETE /emulator/faults/4");
  assert.equal(look("limit"), "hint");
  assert.match(result("limit"), /sent Ann nothing within a minute/);
});

test("a bot that hangs is killed all the same, and soon", async () => {
  state.dialogue = { live: { flow: "photo", state: "shot" } };
  answers.set("/playground/kill", () => {
    answers.set("/playground/dialogues/1:1", () => state.dialogue);
    return { ready: true };
  });
  const began = performance.now();
  await tryOut("kill");
  assert.match(result("kill"), /still at photo\/shot/);
  assert.ok(performance.now() - began < 3000, "it was asked for long where it stands");
});

test("what was seen is of the chat it was seen in, and is gone when another is opened or all are cleared", async () => {
  assert.equal(look("kill"), "good");
  changed("open");
  await settled();
  assert.equal(result("kill"), "");
  await tryOut("kill");
  heard({ type: "reset" });
  assert.equal(result("kill"), "");
});

test("a foreign bot is not told to take pictures, and a button that comes is offered", async () => {
  state.process = null;
  await tryOut("race");
  assert.equal(result("race"), "The bot's last message has no button to press.");
  const reply_markup = { inline_keyboard: [[{ text: "Wave", callback_data: "wave" }]] };
  chatOf(1).messages.set(5, { message_id: 5, by: "bot", reply_markup });
  changed("chat");
  await settled();
  assert.equal(look("race"), "");
});
