// Copies; and a button that does.

import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { fault } from "./toast.js";

/** Copies a text; answers whether the browser let it. */
export async function copy(text) {
  const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  return done || copyByHand(text);
}

/** A page that comes from another machine over plain http has no clipboard of its own: there the text is marked and copied. */
function copyByHand(text) {
  const held = document.activeElement;
  const field = h("textarea", { readonly: true, "aria-hidden": "true", tabindex: "-1", style: { position: "fixed", opacity: "0" } }, text);
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  held?.focus({ preventScroll: true });
  return done;
}

/** A button that copies what `text` returns. */
export function copyButton(label, text) {
  const button = h("button", { type: "button", class: "small round", "aria-label": label, title: label, data: { testid: "copy" } }, icon("copy"));
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    if (!(await copy(text()))) return fault("The browser does not let this page copy.");
    fill(button, icon("check"));
    setTimeout(() => fill(button, icon("copy")), 1200);
  });
  return button;
}
