// What the bot does in a chat while something is tried there, and what else it was told meanwhile.

import { until } from "./patience.js";
import { chatOfUpdate } from "./seen.js";
import { listen } from "./store.js";

/** How long nothing happens when what was tried is over. */
const QUIET = 900;
const LOUD = new Set(["message", "transition", "update", "call"]);

let last = -Infinity;
listen(({ type }) => LOUD.has(type) && (last = performance.now()));

/** Waits until nothing has happened for a while. */
export const quiet = (span = QUIET) => until(() => performance.now() - last > span);

/**
 * Collects what the bot says in a chat, where its dialogue goes, and which updates are on their way there. `end` waits for quiet
 * and tells; `own` are the updates that belong to what was tried.
 */
export function watch(chat, dialogue) {
  const [replies, moves, updates] = [[], [], new Set()];
  const stop = listen((event) => {
    if (event.type === "message" && event.chat === chat && event.message.by === "bot") replies.push(event.message);
    if (event.type === "transition" && event.dialogue === dialogue) moves.push(event);
    if (event.type === "update" && chatOfUpdate(event.body) === chat) updates.add(event.update_id);
  });
  const end = async (own, span = QUIET) => {
    last = performance.now();
    await quiet(span);
    stop();
    return { replies, moves, isMeddled: [...updates].some((id) => !own.includes(id)) };
  };
  return { end };
}
