// A picture in full size. Escape, a click or the button closes it.

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** Shows a picture over the page. */
export function enlarge(src) {
  const close = h("button", { type: "button", class: "round", "aria-label": "Close" }, icon("close"));
  const box = h("dialog", { class: "lightbox", "aria-label": "Photo" }, h("img", { src, alt: "Photo" }), close);
  box.addEventListener("click", () => box.close());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}
