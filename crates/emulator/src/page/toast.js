// Short words that come and go, and alerts that wait for an "OK".

import { byId, h } from "./dom.js";

/** Shows a line for a few seconds. */
export function toast(text, kind = "") {
  const line = h("p", { class: `toast ${kind}`, data: { testid: "toast" } }, text);
  byId("toasts").append(line);
  setTimeout(() => line.classList.add("leaving"), 3500);
  setTimeout(() => line.remove(), 4000);
}

/** Shows what could not be done. */
export const fault = (text) => toast(text, "bad");

/** Shows what the bot wants to be read. */
export function alert(title, text) {
  const box = h(
    "dialog",
    { class: "alert", "aria-label": title, data: { testid: "alert" } },
    h("h2", {}, title),
    h("p", {}, text),
    h("form", { method: "dialog", class: "buttons" }, h("button", { class: "primary", autofocus: true }, "OK")),
  );
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}
