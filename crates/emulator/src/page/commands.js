// The bot's commands, as they are for whoever speaks: a menu by button, and completion after a slash.

import { byId, fill, h } from "./dom.js";
import { chatOf, on, speakerIn, state } from "./store.js";

let choose = () => {};
let at = 0;

/** Gives the button its work; `chosen` is called with a command. */
export function start(chosen) {
  choose = chosen;
  byId("commands").addEventListener("click", toggle);
  on("commands open", () => (byId("commands").hidden = known().length === 0));
  document.addEventListener("click", ({ target }) => !target.closest("#composer") && suggest(""));
}

/** Shows the commands that begin with what was typed. */
export function suggest(text) {
  const word = /^\/(\w*)$/.exec(text)?.[1];
  at = 0;
  draw(word === undefined ? [] : known().filter(({ command }) => command.startsWith(word)));
}

/** Takes a key that moves in the list or chooses from it. Whether it did. */
export function keyed(event) {
  const options = [...byId("suggestions").children];
  if (options.length === 0) return false;
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (move) mark(options, at + move);
  else if (event.key === "Escape") suggest("");
  else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) options[at].click();
  else return false;
  event.preventDefault();
  return true;
}

/** What whoever speaks in the open chat is offered there. */
const known = () => (state.open === null ? [] : (chatOf(state.open).commands[speakerIn(state.open)] ?? []));

function toggle() {
  draw(byId("suggestions").hidden ? known() : []);
  at = 0;
  byId("composer-text").focus();
}

function draw(found) {
  const box = fill(byId("suggestions"), found.map(option));
  box.hidden = found.length === 0;
  byId("commands").setAttribute("aria-expanded", String(!box.hidden));
  mark([...box.children], 0);
}

function option({ command, description }, index) {
  const take = () => {
    suggest("");
    choose(`/${command}`);
  };
  return h(
    "li",
    { role: "option", id: `suggestion-${index}`, data: { testid: "suggestion", command }, on: { click: take } },
    h("strong", {}, `/${command}`),
    h("span", {}, description),
  );
}

function mark(options, to) {
  if (options.length === 0) return byId("composer-text").removeAttribute("aria-activedescendant");
  at = (to + options.length) % options.length;
  options.forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
  options[at].scrollIntoView({ block: "nearest" });
  byId("composer-text").setAttribute("aria-activedescendant", options[at].id);
}
