// "More faults…": a form for everything that can go wrong, and beside it what goes wrong now, to be taken back.

import { attempt } from "./acts.js";
import { emulator } from "./api.js";
import { ALL, asked, FIELDS, GROUPS, known, particulars } from "./catalogue.js";
import { form } from "./dialogs.js";
import { byId, fill, h } from "./dom.js";
import { fullName } from "./format.js";
import { icon } from "./icons.js";
import { keep } from "./keyed.js";
import { on, state } from "./store.js";

/** How long it is said that something was done of which nothing remains to be seen. */
const SAID = 6000;

/** Gives the bar's buttons their work, and shows what goes wrong. */
export function start() {
  byId("more-faults").addEventListener("click", choose);
  byId("clear-faults").addEventListener("click", clear);
  on("faults people", draw);
  draw();
}

/** Asks what shall go wrong. */
function choose() {
  const words = h("p", { class: "quiet", id: "mishap-words", data: { testid: "mishap-words" }, "aria-live": "polite" });
  const more = h("div", { class: "fields" });
  const kinds = h("select", { name: "mishap", autofocus: true, "aria-describedby": "mishap-words", data: { testid: "mishap" } }, GROUPS.map(group));
  const show = () => {
    const mishap = find(kinds.value);
    fill(words, mishap.words);
    fill(more, mishap.fields.map(field), mishap.on !== "server" && state.open !== null && here());
  };
  kinds.addEventListener("change", show);
  show();
  const methods = h("datalist", { id: "methods" }, [...methodsSeen()].map((value) => h("option", { value })));
  form("More faults", [h("label", {}, "What goes wrong", kinds), words, more, methods], "Let it happen", submit);
}

const find = (id) => ALL.find((one) => one.id === id);

const group = ({ name, all }) => h("optgroup", { label: name }, all.map(({ id, title }) => h("option", { value: id }, title)));

function field(name) {
  const { label, least, most, value, placeholder } = FIELDS[name];
  const isNumber = least !== undefined;
  const attributes = { name, value, placeholder, type: isNumber ? "number" : "text", min: least, max: most, list: name === "method" ? "methods" : null, autocomplete: "off" };
  return h("label", {}, label, h("input", { ...attributes, data: { testid: `mishap-${name}` } }));
}

const here = () => h("label", { class: "member" }, h("input", { type: "checkbox", name: "here", data: { testid: "mishap-here" } }), `Only with ${nameOf(state.open)}`);

/** The methods that the bot has called, and those that most bots do. */
const methodsSeen = () => new Set(["sendMessage", "editMessageText", "answerCallbackQuery", ...[...state.calls.values()].map(({ method }) => method.replace(/^./, (letter) => letter.toLowerCase()))]);

async function submit(data) {
  const mishap = find(data.get("mishap"));
  if (mishap.on === "server") return SERVER[mishap.kind](mishap);
  await emulator.fault(asked(mishap, Object.fromEntries(data), data.has("here") ? state.open : null));
  say(`${mishap.title}: armed. Now do something.`);
}

const SERVER = {
  restart: () => emulator.restart().then(() => say("The Bot API server has restarted.")),
  restart_lower: () => emulator.restart("lower").then(() => say("The Bot API server has restarted, with lower ids.")),
  limits: () => emulator.limits(true).then(() => say("The limits are on.")),
};

let saying = null;

/** Says what was done, for a while. */
function say(words) {
  fill(byId("faults-said"), words);
  clearTimeout(saying);
  saying = setTimeout(() => fill(byId("faults-said")), SAID);
}

/** Shows all that goes wrong now, the newest first, each with the button that takes it back. */
function draw() {
  const limits = { id: "limits", on: "server", kind: "limits" };
  const all = [...(state.limits ? [limits] : []), ...state.faults].reverse();
  keep(byId("active-faults"), all, { key: ({ id }) => id, stamp: (fault) => JSON.stringify([fault, nameOf(fault.chat)]), make: chip });
  byId("active-faults").hidden = all.length === 0;
  byId("clear-faults").hidden = all.length === 0;
}

function chip(fault) {
  const { title } = known(fault);
  const about = fault.on === "server" ? [] : particulars(fault, nameOf);
  const takeBack = async () => {
    await attempt(() => (fault.on === "server" ? emulator.limits(false) : emulator.takeBack(fault.id)));
    byId("more-faults").focus();
  };
  return h(
    "li",
    { class: "mishap", data: { testid: "active-fault", on: fault.on, kind: fault.kind } },
    h("span", {}, title, about.length > 0 && h("span", { class: "quiet" }, ` ${about.join(" · ")}`)),
    h("button", { type: "button", class: "small round", "aria-label": `Take back: ${title}`, title: "Take back", data: { testid: "take-back" }, on: { click: takeBack } }, icon("close")),
  );
}

async function clear() {
  await attempt(() => Promise.all([emulator.clearFaults(), state.limits && emulator.limits(false)]));
  byId("more-faults").focus();
}

function nameOf(chat) {
  const person = state.people.get(chat);
  return person ? fullName(person) : (state.groups.get(chat)?.title ?? String(chat));
}
