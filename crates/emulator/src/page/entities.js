// A message's text with its entities (bold, links, code, spoilers …), as nodes of the page.

import { h } from "./dom.js";

const TAGS = {
  bold: "strong",
  italic: "em",
  underline: "u",
  strikethrough: "s",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  expandable_blockquote: "blockquote",
};
const BLOCKS = new Set(["pre", "blockquote", "expandable_blockquote"]);
const SAFE = new Set(["http:", "https:", "mailto:", "tel:", "tg:"]);

/**
 * The text cut at its entities, as a tree: strings, and `{ entity, children }`. Offsets count UTF-16 units, as JavaScript does.
 * Entities that overlap without one holding the other are cut at the border of the outer one.
 */
export function tree(text, entities = []) {
  const sorted = [...entities].filter((e) => e.length > 0).sort((a, b) => a.offset - b.offset || b.length - a.length);
  return branch(text, sorted, 0, text.length);
}

/**
 * The text with its entities as elements. `command` is called with a bot command that is clicked; `link` may say what a link
 * does here, at its element, instead of leading elsewhere.
 */
export function rich(text, entities, acts = {}) {
  return grow(tree(text, entities), acts);
}

/** The address an entity leads to, if it is one that is safe to open. */
export function address(entity, text) {
  const kinds = { text_link: entity.url, email: `mailto:${text}`, phone_number: `tel:${text.replace(/[^+\d]/g, "")}` };
  const bare = /^[a-z][a-z+.-]*:/i.test(text) ? text : `https://${text}`;
  const found = entity.type === "url" ? bare : kinds[entity.type];
  return found && URL.canParse(found) && SAFE.has(new URL(found).protocol) ? found : null;
}

function branch(text, entities, start, end) {
  const parts = [];
  let at = start;
  for (let i = 0; i < entities.length; ) {
    const entity = entities[i];
    const from = Math.max(entity.offset, at);
    const to = Math.min(entity.offset + entity.length, end);
    let last = i + 1;
    while (last < entities.length && entities[last].offset < to) last += 1;
    const inner = entities.slice(i + 1, last);
    if (to > from) {
      if (from > at) parts.push(text.slice(at, from));
      parts.push({ entity, children: branch(text, inner, from, to) });
      at = to;
    }
    i = last;
  }
  if (end > at) parts.push(text.slice(at, end));
  return parts;
}

function grow(parts, acts) {
  return trim(parts).map((part) => (typeof part === "string" ? part : element(part, acts)));
}

/** A block ends its line by itself: the line break behind it would be a second one. */
export function trim(parts) {
  const isBlock = (part) => BLOCKS.has(part?.entity?.type);
  return parts.map((part, at) => (typeof part === "string" && isBlock(parts[at - 1]) ? part.replace(/^\n/, "") : part));
}

function element({ entity, children }, acts) {
  const words = flat(children);
  const inside = grow(children, acts);
  const href = address(entity, words);
  if (href) return link(href, inside, acts.link?.(href));
  if (entity.type === "spoiler") return spoiler(inside);
  if (entity.type === "bot_command") {
    return h("button", { type: "button", class: "link", on: { click: () => acts.command?.(words) } }, inside);
  }
  if (entity.type === "pre") return h("pre", { data: { language: entity.language } }, h("code", {}, inside));
  if (TAGS[entity.type]) return h(TAGS[entity.type], {}, inside);
  return h("span", { class: `entity ${/^[a-z_]+$/.test(entity.type) ? entity.type : ""}` }, inside);
}

function link(href, inside, act) {
  if (act) return h("button", { type: "button", class: "link", data: { testid: "link" }, on: { click: ({ currentTarget }) => act(currentTarget) } }, inside);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, inside);
}

function spoiler(inside) {
  const cover = h("button", { type: "button", class: "spoiler", "aria-label": "Spoiler. Press to read" }, h("span", {}, inside));
  cover.addEventListener("click", () => cover.replaceWith(h("span", { class: "spoiler shown" }, ...cover.firstChild.childNodes)));
  return cover;
}

const flat = (parts) => parts.map((part) => (typeof part === "string" ? part : flat(part.children))).join("");
