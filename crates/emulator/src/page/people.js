// The list of chats: people, each with a chat with the bot, and groups.

import { avatar } from "./avatar.js";
import { byId, fill, h } from "./dom.js";
import { fullName, time } from "./format.js";
import { keep } from "./keyed.js";
import { walk } from "./menu.js";
import { go } from "./route.js";
import { preview } from "./rows.js";
import { messagesOf, on, state } from "./store.js";

/** Draws the list and keeps it up to date. */
export function start() {
  on("people open", draw);
  byId("chats").addEventListener("keydown", (event) => walk(event, byId("chats").querySelectorAll("button")));
  draw();
}

function draw() {
  const entries = [...[...state.people.values()].map(person), ...[...state.groups.values()].map(group)];
  keep(byId("chats"), entries, { key: (entry) => entry.id, stamp: JSON.stringify, make: row });
  fill(byId("people-hint"), state.loaded && entries.length === 0 ? "Nobody is here yet. Add a person with the button above." : "");
  const unread = entries.reduce((sum, entry) => sum + entry.unread, 0);
  document.title = unread > 0 ? `(${unread}) Steadfast` : "Steadfast";
}

const person = (one) => ({
  ...common(one.id),
  name: fullName(one),
  tags: [one.language_code?.toUpperCase()].filter(Boolean),
  role: one.role,
  blocked: one.blocked,
});

const group = (one) => ({
  ...common(one.id),
  name: one.title,
  tags: [],
  role: `${one.members.length} people`,
});

function common(id) {
  const chat = state.chats.get(id);
  const last = chat && messagesOf(id).findLast((message) => !message.deleted);
  return {
    id,
    isOpen: id === state.open,
    unread: chat?.unread ?? 0,
    line: chat?.action ? "typing…" : last ? preview(last, state.groups.has(id)) : "No messages yet",
    isTyping: Boolean(chat?.action),
    at: last ? time(last.date * 1000) : "",
  };
}

function row(entry) {
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button",
        class: "chat-row",
        "aria-current": entry.isOpen ? "true" : null,
        data: { testid: "chat-row", chat: entry.id, name: entry.name },
        on: { click: () => go(entry.id) },
      },
      avatar(entry.id, entry.name),
      h(
        "span",
        { class: "chat-words" },
        h("span", { class: "chat-top" }, h("strong", {}, entry.name), tags(entry), h("time", {}, entry.at)),
        h(
          "span",
          { class: "chat-bottom" },
          h("span", { class: `chat-line ${entry.isTyping ? "typing" : ""}` }, entry.line),
          entry.role && h("span", { class: "tag" }, entry.role),
          entry.unread > 0 && h("span", { class: "badge", data: { testid: "unread" } }, entry.unread, h("span", { class: "unseen" }, " unread")),
        ),
      ),
    ),
  );
}

const tags = (entry) => [
  ...entry.tags.map((tag) => h("span", { class: "tag" }, tag)),
  entry.blocked ? h("span", { class: "tag bad" }, "blocked") : null,
];
