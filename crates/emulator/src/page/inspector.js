// The panel beside the chat: its tabs, and which of them there are.

import { byId } from "./dom.js";
import * as dialogue from "./dialogue.js";
import { walk } from "./menu.js";
import * as raw from "./raw.js";
import { show as showPanel } from "./route.js";
import { on, state } from "./store.js";
import * as timeline from "./timeline.js";

const TABS = ["dialogue", "timeline", "updates", "calls"];
/** The tabs that need the bot's own store. */
const INSIDE = ["dialogue", "timeline"];

/** Gives the tabs their work. */
export function start() {
  for (const name of TABS) tab(name).addEventListener("click", () => show(name));
  byId("tabs").addEventListener("keydown", (event) => walk(event, tabs(), "horizontal") && document.activeElement.click());
  byId("to-chat").addEventListener("click", () => showPanel("chat"));
  on("process", drawTabs);
  dialogue.start();
  timeline.start(showUpdate);
  raw.start();
}

/** Opens the tab of updates at one of them. */
export function showUpdate(id) {
  show("updates");
  raw.findUpdate(id);
}

/** Opens a tab. */
export function show(name) {
  for (const one of TABS) {
    tab(one).setAttribute("aria-selected", String(one === name));
    tab(one).tabIndex = one === name ? 0 : -1;
    byId(`pane-${one}`).hidden = one !== name;
  }
}

const tab = (name) => byId(`tab-${name}`);
const tabs = () => TABS.map(tab).filter((button) => !button.hidden);

/** The emulator alone knows nothing of what the bot remembers. */
function drawTabs() {
  const isAlone = state.loaded && !state.process;
  for (const name of INSIDE) tab(name).hidden = isAlone;
  const open = TABS.find((name) => tab(name).getAttribute("aria-selected") === "true");
  if (isAlone && INSIDE.includes(open)) show("updates");
}
