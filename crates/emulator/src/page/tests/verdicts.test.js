import assert from "node:assert/strict";
import { test } from "node:test";
import { ofKill, ofRace, ofTwice } from "../verdicts.js";

const move = (from, to, flow = "photo") => ({ flow, from, to });
const twice = { total: 3, replies: [], moves: [], isMeddled: false };
const kill = { before: "photo/shot", after: "photo/shot", seconds: "0.1", moves: [], isMeddled: false };

test("a second reply is the bot's fault, unless its person said something meanwhile", () => {
  assert.equal(ofTwice(twice).kind, "good");
  assert.equal(ofTwice({ ...twice, isMeddled: true }).kind, "good");
  assert.equal(ofTwice({ ...twice, replies: [{}] }).kind, "bad");
  assert.equal(ofTwice({ ...twice, replies: [{}], isMeddled: true }).kind, "hint");
});

test("a bot that is back elsewhere lost its way, unless it was led there", () => {
  assert.match(ofKill(kill).text, /still at photo\/shot/);
  const elsewhere = { ...kill, after: "photo/caption" };
  assert.equal(ofKill(elsewhere).kind, "bad");
  assert.equal(ofKill({ ...elsewhere, moves: [move("shot", "caption")] }).kind, "good");
  assert.equal(ofKill({ ...elsewhere, moves: [move("shot", "album")] }).kind, "bad");
  assert.equal(ofKill({ ...elsewhere, isMeddled: true }).kind, "hint", "it may have moved without a word");
});

test("a dialogue that was ended meanwhile may be idle, and one that went on may not", () => {
  const idle = { ...kill, after: "idle" };
  assert.equal(ofKill({ ...idle, moves: [move("shot", "cancelled")] }).kind, "good");
  assert.equal(ofKill({ ...idle, moves: [move("shot", "caption")] }).kind, "bad");
});

test("a question that was ended twice was raced for, unless somebody else pushed", () => {
  const race = { label: "Wave", areTaken: true, replies: [], moves: [move("shot", "done"), move("shot", "done")], isMeddled: false };
  assert.equal(ofRace(race).kind, "bad");
  assert.equal(ofRace({ ...race, isMeddled: true }).kind, "hint");
  assert.equal(ofRace({ ...race, moves: [] }).kind, "good");
  assert.equal(ofRace({ ...race, areTaken: false }).kind, "bad");
});
