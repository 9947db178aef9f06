// Which way a dialogue took through its flow. Pure.

/** The flow to show: the one under way, else the one last walked, else the one that is `likely` to come, else the first. */
export function flowOf(dialogue, flows, likely = null) {
  const name = dialogue?.live?.flow ?? ordered(dialogue).at(-1)?.flow ?? likely;
  return flows.find((flow) => flow.name === name) ?? flows[0] ?? null;
}

/** The transitions of this flow since it was last begun, as `from>to`, and the states on the way. */
export function walk(dialogue, flow) {
  const all = ordered(dialogue).filter((step) => step.flow === flow.name);
  const begin = all.findLastIndex((step) => step.from === "start");
  const steps = all.slice(Math.max(begin, 0));
  const edges = new Set(steps.map(({ from, to }) => `${from}>${to}`));
  const states = new Set(steps.flatMap(({ from, to }) => [from, to]));
  return { edges, states, end: steps.at(-1)?.to ?? null };
}

/** The timeline, oldest first, however it was given. */
export function ordered(dialogue) {
  const steps = dialogue?.timeline ?? [];
  return steps.length > 1 && steps[0].at > steps.at(-1).at ? [...steps].reverse() : steps;
}

/** When the dialogue came to the state it is in; where that step is not known, when its flow began. To stay is not to come. */
export function since(dialogue) {
  const live = dialogue?.live;
  const isArrival = ({ flow, from, to }) => flow === live.flow && to === live.state && from !== to;
  return live ? (ordered(dialogue).findLast(isArrival)?.at ?? live.since ?? null) : null;
}

/** Whether of these steps one left a state that the one before it had left already. A flow may begin as often as one likes. */
export function isForked(steps) {
  const isAgain = (step, before) => step.flow === before.flow && step.from === before.from && before.to !== before.from;
  return steps.some((step, at) => at > 0 && step.from !== "start" && isAgain(step, steps[at - 1]));
}
