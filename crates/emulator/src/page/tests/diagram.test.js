import assert from "node:assert/strict";
import { test } from "node:test";
import { layout } from "../diagram.js";

const flow = (text) => {
  const edges = text.split(", ").map((edge) => ({ from: edge.split(" ")[0], to: edge.split(" ")[1] }));
  return { name: "f", states: [], edges };
};
const PHOTO = flow(
  "album caption, album done, caption done, caption shot, shot album, shot caption, start album, start caption, start done, start shot",
);

const layers = ({ nodes }) => [...nodes].sort((a, b) => a.y - b.y || a.x - b.x).map(({ id }) => id);

test("states stand below each other from the start to the end", () => {
  assert.deepEqual(layers(layout(PHOTO)), ["start", "shot", "album", "caption", "done"]);
});

test("the way back is the one that leads up, and the only one", () => {
  const back = layout(PHOTO).edges.filter(({ isBack }) => isBack);
  assert.deepEqual(back.map(({ from, to }) => `${from} ${to}`), ["caption shot"]);
});

test("what can happen everywhere does not clutter the picture", () => {
  const { nodes, edges } = layout(flow("start a, a done, a parked, a cancelled, parked a, a failed, a forgotten, a a"));
  assert.deepEqual(nodes.map(({ id }) => id).sort(), ["a", "done", "start"]);
  assert.equal(edges.length, 2);
});

const ASKED = ["name", "phone", "city", "trade", "confirm"];
const QUESTIONS = {
  name: "f",
  states: ["start", ...ASKED, "done"],
  edges: [
    ...ASKED.map((to) => ({ from: "start", to })),
    ...ASKED.slice(1).flatMap((id, at) => [{ from: ASKED[at], to: id }, { from: id, to: ASKED[at] }]),
    ...ASKED.slice(0, -2).flatMap((id) => [{ from: id, to: "confirm" }, { from: "confirm", to: id }]),
    { from: "confirm", to: "done" },
  ].sort((a, b) => `${a.from} ${a.to}`.localeCompare(`${b.from} ${b.to}`)),
};

test("questions that lead to and fro stand in the order in which they are asked", () => {
  const { edges, ...drawn } = layout(QUESTIONS);
  assert.deepEqual(layers(drawn), ["start", ...ASKED, "done"]);
  const isBack = ({ from, to }) => edges.find((edge) => edge.from === from && edge.to === to).isBack;
  assert.deepEqual([isBack({ from: "name", to: "phone" }), isBack({ from: "phone", to: "name" })], [false, true]);
});

test("of several beginnings only the usual one is drawn in full", () => {
  const begin = layout(QUESTIONS).edges.filter(({ from }) => from === "start");
  assert.deepEqual(begin.filter(({ isAside }) => !isAside).map(({ to }) => to), ["name"]);
  assert.equal(begin.length, ASKED.length);
});

test("no two states touch, and all are inside the picture", () => {
  const wide = flow(Array.from({ length: 9 }, (_, i) => `start a${i}, a${i} b${(i * 4) % 9}, b${i} done`).join(", "));
  for (const { nodes, width, height } of [layout(PHOTO), layout(wide)]) {
    for (const a of nodes) {
      assert.ok(a.x - a.width / 2 >= 0 && a.x + a.width / 2 <= width, `${a.id} is beyond the side`);
      assert.ok(a.y - a.height / 2 >= 0 && a.y + a.height / 2 <= height, `${a.id} is beyond the top or bottom`);
      for (const b of nodes.filter((other) => other.y === a.y && other.id > a.id)) {
        assert.ok(Math.abs(a.x - b.x) >= (a.width + b.width) / 2, `${a.id} touches ${b.id}`);
      }
    }
  }
});

test("edges begin and end at the borders of their states", () => {
  const { nodes, edges } = layout(PHOTO);
  const node = (id) => nodes.find((one) => one.id === id);
  for (const { from, to, points, isBack } of edges.filter((edge) => !edge.isBack)) {
    assert.equal(isBack, false);
    assert.equal(points[0].y, node(from).y + node(from).height / 2);
    assert.equal(points.at(-1).y, node(to).y - node(to).height / 2);
  }
});

test("a flow of nothing but circles is drawn too", () => {
  assert.equal(layout(flow("a b, b c, c a")).nodes.length, 4);
  assert.equal(layout({ name: "f", states: [], edges: [] }).nodes.length, 1);
});
