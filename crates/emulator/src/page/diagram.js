// Where the states of a flow stand in its picture: layers from the start downwards, and edges between them. Pure.

/** What can happen in every state, and would clutter the picture. */
const ASIDE = new Set(["parked", "cancelled", "failed", "forgotten", "replaced"]);

const HEIGHT = 30;
const LAYER = 64;
const GAP = 22;
const MARGIN = 14;
const SWEEPS = 8;

/**
 * The picture of a flow `{ states, edges }`: `{ width, height, nodes: [{ id, x, y, width, height }], edges: [{ from, to,
 * isBack, isAside, points }] }`. `x` and `y` are centres; `points` lead from one border to the other. Aside are beginnings other than
 * the usual one.
 */
export function layout(flow) {
  const edges = flow.edges.filter(({ from, to }) => from !== to && !ASIDE.has(from) && !ASIDE.has(to));
  const ids = [...new Set(["start", ...flow.states.filter((id) => !ASIDE.has(id)), ...edges.flatMap(({ from, to }) => [from, to])])];
  const sequence = told(ids, flow.states) ?? line(ids, edges);
  const back = backEdges(sequence, edges);
  const down = edges.filter((edge) => !back.has(edge));
  const ranks = rank(ids, down);
  const { layers, chains } = layer(ids, ranks, down);
  order(layers, chains);
  const xs = place(layers, chains);
  const drawn = picture({ ids, ranks, xs, layers, chains, back });
  const usual = sequence.find((id) => edges.some(({ from, to }) => from === "start" && to === id));
  return { ...drawn, edges: drawn.edges.map((edge) => ({ ...edge, isAside: edge.from === "start" && edge.to !== usual })) };
}

/** The states in the order in which they were told, from the start to the end, if all were. */
function told(ids, states) {
  const isTold = ids.every((id) => id === "start" || states.includes(id));
  return isTold ? [...ids.filter((id) => id !== "done"), ...ids.filter((id) => id === "done")] : null;
}

/** The edges that lead back up. */
function backEdges(sequence, edges) {
  const at = new Map(sequence.map((id, index) => [id, index]));
  return new Set(edges.filter(({ from, to }) => at.get(from) > at.get(to)));
}

/**
 * The states in a line along which most edges lead forward (Eades, Lin and Smyth): ends go last, beginnings first, and of the
 * rest the one with the most ways out for its ways in.
 */
function line(ids, edges) {
  const [first, last] = [[], []];
  let left = ids;
  const degree = (id, end) => edges.filter((edge) => edge[end] === id && left.includes(edge.from) && left.includes(edge.to)).length;
  const surplus = (id) => degree(id, "from") - degree(id, "to");
  while (left.length > 0) {
    const sink = left.find((id) => degree(id, "from") === 0);
    const next = sink ?? left.find((id) => degree(id, "to") === 0) ?? left.reduce((a, b) => (surplus(b) > surplus(a) ? b : a));
    if (sink) last.unshift(next);
    else first.push(next);
    left = left.filter((id) => id !== next);
  }
  return [...first, ...last];
}

/** The layer of each state: one below the lowest that leads to it; the end below all. */
function rank(ids, edges) {
  const ranks = new Map(ids.map((id) => [id, id === "start" ? 0 : 1]));
  for (let i = 0; i < ids.length; i += 1) {
    for (const { from, to } of edges) ranks.set(to, Math.max(ranks.get(to), ranks.get(from) + 1));
  }
  if (ranks.has("done")) ranks.set("done", Math.max(...ranks.values(), 1));
  const isShared = ids.some((id) => id !== "done" && ranks.get(id) === ranks.get("done"));
  if (isShared) ranks.set("done", ranks.get("done") + 1);
  return ranks;
}

/** The states by layer, with a joint in each layer that an edge crosses; and each edge as the chain of its joints. */
function layer(ids, ranks, edges) {
  const layers = Array.from({ length: Math.max(...ranks.values()) + 1 }, () => []);
  ids.forEach((id) => layers[ranks.get(id)].push({ id, width: widthOf(id) }));
  const chains = edges.map((edge) => {
    const joints = [];
    for (let at = ranks.get(edge.from) + 1; at < ranks.get(edge.to); at += 1) {
      const joint = { id: `${edge.from}>${edge.to}@${at}`, width: 8 };
      layers[at].push(joint);
      joints.push(joint.id);
    }
    return { edge, ids: [edge.from, ...joints, edge.to] };
  });
  return { layers, chains };
}

const widthOf = (id) => Math.max(56, id.length * 7.4 + 26);

/** Orders each layer by the middle of its neighbours, down and up again, so that few edges cross. */
function order(layers, chains) {
  const near = neighbours(chains);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const sequence = isDown ? layers.slice(1) : layers.slice(0, -1).reverse();
    const at = new Map(layers.flatMap((nodes) => nodes.map((node, index) => [node.id, index])));
    for (const nodes of sequence) {
      const middle = new Map(nodes.map(({ id }) => [id, mean(near(id, isDown).map((other) => at.get(other)), at.get(id))]));
      nodes.sort((a, b) => middle.get(a.id) - middle.get(b.id));
      nodes.forEach((node, index) => at.set(node.id, index));
    }
  }
}

/** The centre of each node: drawn towards its neighbours, without touching the next. */
function place(layers, chains) {
  const near = neighbours(chains);
  const xs = new Map();
  layers.forEach((nodes) => spread(nodes, xs, nodes.map((_, index) => index * 90 - (nodes.length - 1) * 45)));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const nodes of layers) {
      const wish = ({ id }) => mean([...near(id, true), ...near(id, false)].map((other) => xs.get(other)), xs.get(id));
      spread(nodes, xs, nodes.map(wish));
    }
  }
  return xs;
}

/** Sets the nodes of a layer as near to their wishes as their widths allow. */
function spread(nodes, xs, wishes) {
  const room = (a, b) => (a.width + b.width) / 2 + GAP;
  const right = [...wishes];
  for (let i = 1; i < nodes.length; i += 1) right[i] = Math.max(right[i], right[i - 1] + room(nodes[i - 1], nodes[i]));
  const left = [...wishes];
  for (let i = nodes.length - 2; i >= 0; i -= 1) left[i] = Math.min(left[i], left[i + 1] - room(nodes[i], nodes[i + 1]));
  nodes.forEach((node, i) => xs.set(node.id, (left[i] + right[i]) / 2));
}

function neighbours(chains) {
  const [above, below] = [new Map(), new Map()];
  const push = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
  for (const { ids } of chains) {
    for (let i = 1; i < ids.length; i += 1) {
      push(above, ids[i], ids[i - 1]);
      push(below, ids[i - 1], ids[i]);
    }
  }
  return (id, isAbove) => (isAbove ? above : below).get(id) ?? [];
}

function picture({ ids, ranks, xs, layers, chains, back }) {
  const all = layers.flat();
  const leftmost = Math.min(...all.map(({ id, width }) => xs.get(id) - width / 2));
  const shift = MARGIN - leftmost;
  const right = Math.max(...all.map(({ id, width }) => xs.get(id) + width / 2)) + shift;
  const level = (at) => MARGIN + HEIGHT / 2 + at * LAYER;
  const rankOf = (id) => ranks.get(id) ?? Number(id.slice(id.lastIndexOf("@") + 1));
  const nodes = ids.map((id) => ({ id, x: xs.get(id) + shift, y: level(ranks.get(id)), width: widthOf(id), height: HEIGHT }));
  const node = (id) => nodes.find((one) => one.id === id);
  const forward = chains.map(({ edge, ids }) => {
    const points = ids.map((id) => ({ x: xs.get(id) + shift, y: level(rankOf(id)) }));
    points[0] = { ...points[0], y: points[0].y + HEIGHT / 2 };
    points[points.length - 1] = { ...points.at(-1), y: points.at(-1).y - HEIGHT / 2 };
    return { ...edge, isBack: false, points };
  });
  const backward = [...back].map((edge, at) => ({ ...edge, isBack: true, points: around(node(edge.from), node(edge.to), right + 18 + at * 12) }));
  const width = right + MARGIN + (back.size > 0 ? 8 + back.size * 12 : 0);
  return { width, height: level(layers.length - 1) + HEIGHT / 2 + MARGIN, nodes, edges: [...forward, ...backward] };
}

/** The way back up, past all that stands between. */
function around(from, to, lane) {
  return [
    { x: from.x + from.width / 2, y: from.y },
    { x: lane, y: from.y },
    { x: lane, y: to.y },
    { x: to.x + to.width / 2, y: to.y },
  ];
}

const mean = (numbers, otherwise) => (numbers.length === 0 ? otherwise : numbers.reduce((a, b) => a + b, 0) / numbers.length);
