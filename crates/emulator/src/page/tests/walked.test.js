import assert from "node:assert/strict";
import { test } from "node:test";
import { flowOf, isForked, ordered, since, walk } from "../walked.js";

const FLOWS = [{ name: "order" }, { name: "photo" }];
const step = (at, flow, from, to) => ({ at, flow, from, to });
const TIMELINE = [
  step(1, "photo", "start", "shot"),
  step(2, "photo", "shot", "done"),
  step(3, "photo", "start", "caption"),
  step(4, "photo", "caption", "done"),
];

test("the way walked begins where the flow was last begun", () => {
  const { edges, states, end } = walk({ timeline: TIMELINE }, { name: "photo" });
  assert.deepEqual([...edges], ["start>caption", "caption>done"]);
  assert.deepEqual([...states], ["start", "caption", "done"]);
  assert.equal(end, "done");
});

test("the timeline may come newest first", () => {
  assert.deepEqual(ordered({ timeline: [...TIMELINE].reverse() }), TIMELINE);
});

test("the flow under way is shown, else the one last walked, else the first", () => {
  assert.equal(flowOf({ live: { flow: "photo" }, timeline: [] }, FLOWS).name, "photo");
  assert.equal(flowOf({ live: null, timeline: TIMELINE }, FLOWS).name, "photo");
  assert.equal(flowOf(null, FLOWS).name, "order");
  assert.equal(flowOf(null, []), null);
});

test("before anything was walked, the flow that is likely to come is shown", () => {
  assert.equal(flowOf(null, FLOWS, "photo").name, "photo");
  assert.equal(flowOf({ live: { flow: "order" }, timeline: [] }, FLOWS, "photo").name, "order");
  assert.equal(flowOf(null, FLOWS, "no_such").name, "order");
});

test("who leaves a state twice has walked two ways at once", () => {
  const done = step(1, "photo", "caption", "done");
  assert.equal(isForked([done, step(2, "photo", "caption", "done")]), true);
  assert.equal(isForked([step(1, "photo", "shot", "caption"), done, step(2, "order", "caption", "done")]), false);
  assert.equal(isForked([step(1, "photo", "caption", "caption"), done]), false, "it had stayed");
  assert.equal(isForked([step(1, "photo", "start", "shot"), step(2, "photo", "start", "shot")]), false, "it was begun anew");
  assert.equal(isForked([]), false);
});

test("a state is held since the dialogue came to it, not since the flow began", () => {
  const timeline = [step(1, "photo", "start", "shot"), step(5, "photo", "shot", "caption"), step(7, "photo", "caption", "caption")];
  const live = { flow: "photo", state: "caption", since: 1 };
  assert.equal(since({ live, timeline }), 5);
  assert.equal(since({ live: { ...live, state: "album" }, timeline }), 1, "nobody saw it come");
  assert.equal(since({ live: null, timeline }), null);
  assert.equal(since(null), null);
});
