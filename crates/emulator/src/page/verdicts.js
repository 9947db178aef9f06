// What is said of a trial, of what was seen of it. The bot is blamed only for what nothing else explains. Pure.

import { count } from "./format.js";
import { isForked } from "./walked.js";

/** The states in which a dialogue is over, or put aside. */
const ENDS = new Set(["done", "parked", "cancelled", "failed", "forgotten", "replaced"]);

const good = (text) => ({ kind: "good", text });
const bad = (text) => ({ kind: "bad", text });
export const hint = (text) => ({ kind: "hint", text });
const MEDDLED = hint("You did something else meanwhile. Try again.");

const way = (moves) => moves.map(({ from, to }) => `${from} → ${to}`).join(", ");

/** Of an update that was delivered again. */
export function ofTwice({ total, replies, moves, isMeddled }) {
  if (replies.length + moves.length === 0) return good(`Delivered ${total} times in all, done once: no second reply.`);
  if (isMeddled) return MEDDLED;
  return bad(`Delivered ${total} times: ${count(replies.length, "further reply", "further replies")}.`);
}

/** Of a button that was pressed while something was typed. */
export function ofRace({ label, areTaken, replies, moves, isMeddled }) {
  const both = `“${label}” and a text at once`;
  if (!areTaken) return bad(`${both}, and the bot has not taken both.`);
  if (isForked(moves)) return isMeddled ? MEDDLED : bad(`${both}, and both ended the same question: one was lost.`);
  const went = moves.length > 0 ? `: ${way(moves)}` : "";
  return good(`${both}, one after the other${went}; ${count(replies.length, "reply", "replies")}.`);
}

/** Of a bot that was killed and is back: where its dialogue was, where it is, and how it may have come there. */
export function ofKill({ before, after, seconds, moves, isMeddled }) {
  const back = `back after ${seconds}\u00a0s`;
  if (after === before) return good(`Killed, and ${back}, still at ${after}. Go on!`);
  if (leadsTo(moves, after)) return good(`Killed, and ${back}. What you did meanwhile led on to ${after}.`);
  return isMeddled ? MEDDLED : bad(`It is ${back}, but at ${after}, not ${before}.`);
}

/** Of what was due while time passed. */
export function ofLater({ replies, moves }) {
  if (replies.length + moves.length === 0) return good("15 minutes later: nothing was due.");
  return good(`15 minutes later: ${[way(moves), count(replies.length, "message")].filter(Boolean).join("; ")}.`);
}

function leadsTo(moves, place) {
  const last = moves.at(-1);
  if (!last) return false;
  return ENDS.has(last.to) ? place === "idle" : place === `${last.flow}/${last.to}`;
}
