import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { byId, held } from "./page.js";

const { findUpdate, start } = await import("../raw.js");
const { state } = await import("../store.js");

const ids = () => held(byId("updates"), "update").map(({ dataset }) => dataset.id);
const update = (id, chat = { id: 1 }) => ({ update_id: id, kind: "message", at: Date.now(), state: "acknowledged", body: { update_id: id, message: { chat, from: { id: 1, first_name: "Ann" } } } });

start();
beforeEach(() => {
  state.updates = new Map(Array.from({ length: 150 }, (_, at) => [at, update(at)]));
  byId("updates-filter").value = "";
});

test("an update that is looked for is opened among the others, however old it is", () => {
  byId("updates-filter").value = "no such";
  findUpdate(3);
  assert.equal(byId("updates-filter").value, "", "those that come are not hidden");
  assert.equal(ids().length, 101);
  const row = held(byId("updates"), "update").at(-1);
  assert.equal(row.dataset.id, 3);
  assert.ok(row.isScrolledTo && row.querySelector("details").open);
});

test("an update names whom it is from, and the group", () => {
  state.groups.set(-7, { id: -7, title: "The crew" });
  state.updates.set(200, update(200, { id: -7 }));
  findUpdate(200);
  assert.match(held(byId("updates"), "update")[0].textContent, /Ann in The crew · #200/);
});

test("where nothing matches that is said", () => {
  byId("updates-filter").value = "no such";
  byId("updates-filter").listeners.input();
  assert.equal(byId("updates-hint").textContent, "Nothing here matches.");
  byId("updates-filter").value = "";
  byId("updates-filter").listeners.input();
  assert.equal(byId("updates-hint").textContent, "");
});
