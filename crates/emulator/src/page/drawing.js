// The picture of a flow: its states, the one the dialogue is in, and the way it came.

import { layout } from "./diagram.js";
import { svg } from "./dom.js";
import { walk } from "./walked.js";

/** Draws a flow as the dialogue stands in it. */
export function drawing(flow, dialogue) {
  const { width, height, nodes, edges } = layout(flow);
  const way = walk(dialogue, flow);
  const live = dialogue?.live?.flow === flow.name ? dialogue.live.state : null;
  const current = live ?? (way.end === "done" ? "done" : null);
  const isWalked = ({ from, to }) => way.edges.has(`${from}>${to}`);
  const label = `Flow ${flow.name}${live ? `, now in ${live}` : ""}`;
  return svg(
    "svg",
    { class: "diagram", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, data: { testid: "diagram" } },
    svg("defs", {}, arrow("arrow"), arrow("arrow-walked")),
    [...edges].sort((a, b) => isWalked(a) - isWalked(b)).map((edge) => line(edge, isWalked(edge))),
    nodes.map((node) => box(node, { isCurrent: node.id === current, isWalked: way.states.has(node.id) })),
  );
}

function arrow(id) {
  const head = svg("path", { d: "M0 0L8 4L0 8z" });
  return svg("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, head);
}

function line(edge, isWalked) {
  const d = edge.isBack ? bent(edge.points) : curved(edge.points);
  return svg("path", {
    d,
    class: `edge ${edge.isBack ? "back" : ""} ${isWalked ? "walked" : ""}`,
    opacity: edge.isAside && !isWalked ? 0.35 : null,
    "marker-end": `url(#${isWalked ? "arrow-walked" : "arrow"})`,
    data: { testid: "edge", from: edge.from, to: edge.to, walked: String(isWalked) },
  });
}

/** Smooth through every point, and upright at both ends. */
function curved(points) {
  const slope = (at) => {
    const [before, after] = [points[at - 1], points[at + 1]];
    if (before && after) return { x: (after.x - before.x) / 6, y: (after.y - before.y) / 6 };
    const other = before ?? after;
    return { x: 0, y: Math.abs(points[at].y - other.y) / 2 };
  };
  const parts = points.slice(1).map((point, index) => {
    const [from, a, b] = [points[index], slope(index), slope(index + 1)];
    return `C${n(from.x + a.x)} ${n(from.y + a.y)} ${n(point.x - b.x)} ${n(point.y - b.y)} ${n(point.x)} ${n(point.y)}`;
  });
  return `M${n(points[0].x)} ${n(points[0].y)}${parts.join("")}`;
}

/** Along its lane, with round corners. */
function bent([from, down, up, to]) {
  const r = 10;
  return (
    `M${n(from.x)} ${n(from.y)}H${n(down.x - r)}Q${n(down.x)} ${n(down.y)} ${n(down.x)} ${n(down.y - r)}` +
    `V${n(up.y + r)}Q${n(up.x)} ${n(up.y)} ${n(up.x - r)} ${n(up.y)}H${n(to.x)}`
  );
}

function box({ id, x, y, width, height }, { isCurrent, isWalked }) {
  const isEnd = id === "start" || id === "done";
  return svg(
    "g",
    {
      class: `node ${isEnd ? "end" : ""} ${isWalked ? "walked" : ""} ${isCurrent ? "current" : ""}`,
      data: { testid: "node", state: id, current: String(isCurrent) },
    },
    svg("rect", { x: n(x - width / 2), y: n(y - height / 2), width: n(width), height, rx: isEnd ? height / 2 : 8 }),
    svg("text", { x: n(x), y: n(y + 4.5), "text-anchor": "middle" }, id),
  );
}

const n = (number) => Math.round(number * 10) / 10;
