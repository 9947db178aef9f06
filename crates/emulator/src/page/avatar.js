// The round pictures of people, groups and the bot: letters on a colour.

import { h } from "./dom.js";
import { colourOf, initials } from "./format.js";

/** An avatar. The name stands beside it, so it says nothing itself. */
export function avatar(id, name, size = "") {
  return h("span", { class: `avatar colour-${colourOf(id)} ${size}`, "aria-hidden": "true" }, initials(name));
}
