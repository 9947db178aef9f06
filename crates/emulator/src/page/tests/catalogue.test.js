// What is asked of the emulator for what was written in the form, and how it is said.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ALL, asked, FIELDS, known, particulars } from "../catalogue.js";

const find = (id) => ALL.find((one) => one.id === id);

test("an empty field is not said, and a number is one", () => {
  assert.deepEqual(asked(find("call/too_many"), { times: "2", retry_after: "5", method: " " }), { on: "call", kind: "too_many", times: 2, retry_after: 5 });
  assert.deepEqual(asked(find("call/error"), { method: " sendMessage", times: "", status: "502", description: "Bad Gateway" }), {
    on: "call",
    kind: "error",
    method: "sendMessage",
    status: 502,
    description: "Bad Gateway",
  });
});

test("what a kind does not have is left out, whoever wrote it", () => {
  assert.deepEqual(asked(find("delivery/twice"), { times: "1", method: "sendMessage", after_s: "3" }, 5001), { on: "delivery", kind: "twice", times: 1, chat: 5001 });
});

test("every kind has a name, words and fields that there are", () => {
  assert.equal(new Set(ALL.map(({ id }) => id)).size, ALL.length);
  for (const { title, words, fields } of ALL) {
    assert.ok(title && words);
    for (const field of fields) assert.ok(FIELDS[field], field);
  }
});

test("a fault is told with where and how often", () => {
  const fault = { on: "call", kind: "too_many", method: "sendMessage", retry_after: 3, chat: 5001, times: 1 };
  assert.deepEqual(particulars(fault, () => "Ann"), ["sendMessage", "3\u00a0s", "with Ann", "once"]);
  assert.deepEqual(particulars({ times: 4 }), ["4×"]);
  assert.deepEqual(particulars({}), ["always"]);
});

test("a fault that this page does not know is told all the same", () => {
  assert.equal(known({ on: "call", kind: "from_the_future" }).title, "from the future");
});
