// A button that copies.

import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { fault } from "./toast.js";

/** A button that copies what `text` returns. */
export function copyButton(label, text) {
  const button = h("button", { type: "button", class: "small round", "aria-label": label, title: label, data: { testid: "copy" } }, icon("copy"));
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    const done = await navigator.clipboard.writeText(text()).then(() => true, () => false);
    if (!done) return fault("The browser does not let this page copy.");
    fill(button, icon("check"));
    setTimeout(() => fill(button, icon("copy")), 1200);
  });
  return button;
}
