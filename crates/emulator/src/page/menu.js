// A small menu that opens at its button: arrow keys move, Escape and a click elsewhere close.

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** Opens a menu of `[{ icon, label, hint?, testid?, act }]` at `anchor`. */
export function openMenu(anchor, label, items) {
  const menu = h(
    "div",
    { class: "menu", role: "menu", "aria-label": label, popover: "auto" },
    items.map((item) => entry(item, () => menu.hidePopover())),
  );
  menu.addEventListener("keydown", (event) => walk(event, menu.querySelectorAll("[role=menuitem]")));
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && close(menu, anchor));
  document.body.append(menu);
  menu.showPopover();
  put(menu, anchor.getBoundingClientRect());
  menu.querySelector("[role=menuitem]")?.focus();
}

/** Moves the focus along a list with the arrow keys. Whether the key was one of them. */
export function walk(event, list, axis = "vertical") {
  const [before, after] = axis === "vertical" ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  const all = [...list];
  const at = all.indexOf(document.activeElement);
  const to = { [before]: at - 1, [after]: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || at < 0) return false;
  event.preventDefault();
  all[(to + all.length) % all.length].focus();
  return true;
}

function entry(item, done) {
  const act = () => {
    done();
    item.act();
  };
  return h(
    "button",
    { type: "button", role: "menuitem", tabindex: "-1", data: { testid: item.testid }, on: { click: act } },
    item.icon && icon(item.icon),
    h("span", {}, item.label, item.hint && h("small", {}, item.hint)),
  );
}

function close(menu, anchor) {
  if (menu.contains(document.activeElement) || document.activeElement === document.body) anchor.focus();
  menu.remove();
}

/** Above or below its button, wherever there is room. */
function put(menu, at) {
  const { width, height } = menu.getBoundingClientRect();
  const above = at.top > innerHeight / 2;
  menu.style.top = `${above ? at.top - height - 6 : at.bottom + 6}px`;
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
}
