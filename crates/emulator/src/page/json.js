// JSON for people: as a small table where it is data, as coloured lines where it is raw.

import { h } from "./dom.js";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A value as a table of names and values, tables inside tables. */
export function table(value) {
  if (value === null || typeof value !== "object") return leaf(value);
  const isList = Array.isArray(value);
  if (isList && value.length > 0 && value.every((inner) => inner === null || typeof inner !== "object")) {
    return h("ul", { class: "plain" }, value.map((inner) => h("li", {}, leaf(inner))));
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return h("span", { class: "quiet" }, isList ? "none" : "nothing");
  const rows = entries.map(([name, inner]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, table(inner))));
  return h("table", { class: "data" }, h("tbody", {}, rows));
}

/** A value as indented lines with its strings, numbers and names in colour. */
export function lines(value) {
  const text = JSON.stringify(value, null, 2) ?? "";
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(text.slice(at, match.index), ...token(match));
    at = match.index + match[0].length;
  }
  return h("pre", { class: "json", tabindex: "0" }, parts, text.slice(at));
}

function token([whole, string, colon, word]) {
  if (string && colon) return [h("span", { class: "json-name" }, string), colon];
  return [h("span", { class: string ? "json-string" : word ? "json-word" : "json-number" }, whole)];
}

function leaf(value) {
  if (value === null || value === undefined) return h("span", { class: "quiet" }, "none");
  const text = String(value);
  const isWord = text.length > 24 && !/\s/.test(text);
  return h("span", { class: `value ${typeof value} ${isWord ? "word" : ""}`, title: isWord ? text : null }, text);
}
