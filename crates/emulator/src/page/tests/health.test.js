import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { invitation, outage, trouble } from "../health.js";
import { state } from "../store.js";

globalThis.location = { origin: "http://127.0.0.1:8081", port: "8081" };

beforeEach(() => Object.assign(state, { connected: true, loaded: true, refused: false, process: { ready: true } }));

test("while all is well there is nothing to say", () => {
  assert.deepEqual([outage(), trouble(), invitation()], [null, null, null]);
});

test("whoever serves the page and is gone is named", () => {
  state.connected = false;
  assert.match(outage(), /playground does not answer/);
  state.process = null;
  assert.match(outage(), /emulator does not answer/);
  state.loaded = false;
  assert.equal(outage(), null, "it has only just been asked");
});

test("a page under a name that is not served says where it is", () => {
  Object.assign(state, { refused: true, loaded: false, connected: false });
  assert.match(outage(), /at http:\/\/127.0.0.1:8081\/$/);
});

test("a bot that cannot start says why", () => {
  state.process = { ready: false };
  assert.equal(trouble(), "The bot is starting…");
  state.process = { ready: false, trouble: "the bot cannot be started in /data: not found" };
  assert.equal(trouble(), "The bot cannot be started in /data: not found");
});

test("where no bot has ever called, it is said how one can", () => {
  state.process = null;
  assert.match(invitation(), /use http:\/\/127.0.0.1:8081 as/);
  state.calls.set(1, {});
  assert.equal(invitation(), null);
  state.calls.clear();
  assert.equal(invitation(), null, "its calls were cleared, and it is still there");
});
