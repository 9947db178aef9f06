// How those are whom the page speaks to: whoever serves it, and the bot. In words, for the list and for the chat. Pure but for what is known.

import { state } from "./store.js";

/** What keeps the page from working at all, or null. */
export function outage() {
  if (state.refused) return `This name is not served. Open this page at http://127.0.0.1:${location.port}/`;
  if (!state.loaded || state.connected) return null;
  return `The ${state.process ? "playground" : "emulator"} does not answer. Is it still running?`;
}

/** Why the bot takes no updates, or null. */
export function trouble() {
  if (!state.process || state.process.ready) return null;
  return state.process.trouble ? sentence(state.process.trouble) : "The bot is starting…";
}

let hasCalled = false;

/** How to let a bot call, where none has done so yet and there is none of ours; or null. */
export function invitation() {
  hasCalled ||= state.calls.size > 0;
  if (state.process || hasCalled) return null;
  return `No bot has called yet. Let yours use ${location.origin} as its Bot API server, with the token of --token, or any well-formed one.`;
}

const sentence = (words) => words.replace(/^./, (letter) => letter.toUpperCase());
