import assert from "node:assert/strict";
import { test } from "node:test";
import { payload } from "../invitation.js";

test("a link to this bot says what it is started with", () => {
  assert.equal(payload("https://t.me/steadfast_bot?start=abc-1", "steadfast_bot"), "abc-1");
  assert.equal(payload("https://telegram.me/Steadfast_Bot?start=abc", "steadfast_bot"), "abc");
  assert.equal(payload("tg://resolve?domain=steadfast_bot&start=abc", "steadfast_bot"), "abc");
  assert.equal(payload("https://t.me/steadfast_bot", "steadfast_bot"), "");
});

test("any other link is left alone", () => {
  for (const url of ["https://t.me/other_bot?start=abc", "https://a.example/steadfast_bot?start=abc", "https://t.me/steadfast_bot?startgroup=1", "mailto:a@a.example", "no address"]) {
    assert.equal(payload(url, "steadfast_bot"), null, url);
  }
  assert.equal(payload("https://t.me/steadfast_bot", undefined), null);
});
