import assert from "node:assert/strict";
import { test } from "node:test";
import { parted } from "../days.js";

const NOON = Date.UTC(2026, 0, 10, 12);
const DAY = 86_400_000;
const words = (ats, now) => parted(ats.map((at) => ({ at })), now).map(({ day }) => day ?? "item");

test("a day stands before its newest, and today is not named at the top", () => {
  assert.deepEqual(words([NOON, NOON - DAY, NOON - DAY - 1, NOON - 2 * DAY], NOON), ["item", "Yesterday", "item", "item", "8 January", "item"]);
});

test("when the clock has moved on, what was today is not", () => {
  assert.deepEqual(words([NOON], NOON + DAY), ["Yesterday", "item"]);
  assert.deepEqual(words([], NOON), []);
});
