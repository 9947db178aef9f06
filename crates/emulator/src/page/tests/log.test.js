import assert from "node:assert/strict";
import { test } from "node:test";
import { next } from "../log.js";

test("arrows lead from message to message, and not round the ends", () => {
  assert.equal(next("ArrowUp", 2, 5), 1);
  assert.equal(next("ArrowDown", 2, 5), 3);
  assert.equal(next("ArrowUp", 0, 5), 0);
  assert.equal(next("ArrowDown", 4, 5), 4);
  assert.equal(next("Home", 3, 5), 0);
  assert.equal(next("End", 1, 5), 4);
});

test("the first arrow leads to the newest message", () => {
  assert.equal(next("ArrowUp", -1, 5), 4);
  assert.equal(next("ArrowDown", -1, 5), 4);
});

test("other keys lead nowhere, and in an empty log none does", () => {
  assert.equal(next("a", 2, 5), null);
  assert.equal(next("ArrowUp", -1, 0), null);
});
