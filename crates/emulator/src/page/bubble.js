// One row of the log: a bubble with what it says, who said it, when, and whether it arrived.

import { send } from "./acts.js";
import { emulator } from "./api.js";
import { h } from "./dom.js";
import { rich } from "./entities.js";
import { colourOf, fullName, time } from "./format.js";
import { icon } from "./icons.js";
import { invitation } from "./invitation.js";
import { inlineKeyboard } from "./keyboard.js";
import { enlarge } from "./lightbox.js";
import { loosen } from "./log.js";
import { summary } from "./rows.js";

const TICKS = {
  sent: ["check", "Sent, not yet delivered to the bot"],
  delivered: ["checks", "Delivered to the bot"],
  failed: ["stop", "Not delivered"],
  unheard: ["check", "Sent; the bot does not hear of it"],
};

/** The room for one picture. */
const [WIDEST, HIGHEST] = [420, 330];

/**
 * The element of a row. `view` knows the reader, the group, other messages, and what to do with a message; a fresh row slides
 * in.
 */
export function bubble(row, view, isFresh) {
  if (row.kind !== "message") return h("div", { class: `note ${row.kind}` }, h("span", {}, row.words));
  const first = row.messages[0];
  const isMine = first.by === "person" && first.from?.id === view.me;
  const element = h(
    "div",
    {
      role: "article",
      tabindex: "-1",
      "aria-label": named(first),
      class: `row ${isMine ? "out" : "in"} ${row.isLast ? "last" : ""} ${first.deleted ? "gone" : ""} ${isFresh ? "fresh" : ""}`,
      data: { testid: "message", message: first.message_id, by: first.by },
    },
    h("div", { class: "column" }, body(row, view, isMine), reactions(first), inlineKeyboard(row.messages.at(-1), view)),
    !first.deleted && actions(row, view, isMine),
  );
  loosen(element, -1);
  return element;
}

const sender = (message) => (message.from ? fullName(message.from) : (message.sender_chat?.title ?? "Bot"));
const said = (message) => (message.deleted ? "Message deleted" : summary(message));

/** A message for those who hear it: who, when, what. */
export const named = (message) => `${sender(message)}, ${time(message.date * 1000)}: ${said(message)}`;

function body(row, view, isMine) {
  const first = row.messages[0];
  if (first.deleted) {
    return h("div", { class: "bubble" }, h("p", { class: "text deleted" }, "Message deleted", meta(row, isMine)));
  }
  const words = row.messages.find((message) => message.text ?? message.caption);
  const bare = first.sticker || (pictures(row).length > 0 && !words);
  return h(
    "div",
    { class: `bubble ${bare ? "bare" : ""}` },
    view.isGroup && !isMine ? author(first) : h("span", { class: "unseen" }, `${sender(first)}: `),
    first.reply_to_message && quote(first.reply_to_message, view),
    first.forward_origin && h("p", { class: "forwarded" }, "Forwarded"),
    album(pictures(row)),
    content(first),
    words ? text(words, row, isMine) : meta(row, isMine),
  );
}

/** What people and the bot think of a message: each emoji, and how many if not one. */
function reactions({ reactions: said = {} }) {
  const emojis = [...new Set(Object.values(said))];
  const many = (emoji) => Object.values(said).filter((one) => one === emoji).length;
  const chip = (emoji) => h("span", {}, emoji, many(emoji) > 1 && ` ${many(emoji)}`);
  return emojis.length > 0 && h("p", { class: "reactions", "aria-label": "Reactions", data: { testid: "reactions" } }, emojis.map(chip));
}

function text(message, row, isMine) {
  const words = message.text ?? message.caption;
  const entities = message.text ? message.entities : message.caption_entities;
  const acts = { command: (command) => send({ text: command }), link: invitation };
  return h("div", { class: "text" }, h("span", { data: { testid: "message-text" } }, rich(words, entities, acts)), meta(row, isMine));
}

const author = (message) => h("p", { class: `author name-${colourOf(message.from?.id ?? 0)}` }, sender(message));

function quote(message, view) {
  return h(
    "button",
    { type: "button", class: "quote", "aria-label": "Show the message this answers", on: { click: () => view.find(message.message_id) } },
    h("strong", {}, message.from ? fullName(message.from) : "Message"),
    h("span", {}, summary(message)),
  );
}

const pictures = (row) => row.messages.filter((message) => message.photo && !message.deleted).map((message) => message.photo);

function album(photos) {
  if (photos.length === 0) return null;
  return h("div", { class: "photos", data: { count: Math.min(photos.length, 10) } }, photos.map(picture));
}

/** The largest size; its proportions keep its place until it is there. */
function picture(sizes) {
  const { file_id, width, height } = sizes.at(-1);
  const src = emulator.file(file_id);
  const scale = Math.min(1, WIDEST / width, HIGHEST / height);
  const style = { "--width": `${Math.round(width * scale)}px`, "--shape": `${width} / ${height}` };
  const image = h("img", { src, style, alt: "Photo", data: { testid: "photo" } });
  image.addEventListener("error", () => image.replaceWith(h("span", { class: "broken" }, "This picture cannot be shown")));
  return h("button", { type: "button", class: "photo", "aria-label": "Enlarge photo", on: { click: () => enlarge(src) } }, image);
}

function content(message) {
  const { contact, location, document, voice, sticker, video, animation, audio } = message;
  if (sticker) return h("p", { class: "sticker", "aria-label": "Sticker" }, sticker.emoji ?? "🙂");
  if (contact) return card("contact", fullName(contact), contact.phone_number);
  if (location) return card("pin", "Location", `${location.latitude}, ${location.longitude}`);
  if (video) return card("file", video.file_name ?? "Video", `${video.duration ?? 0} s`, emulator.file(video.file_id));
  if (animation) return card("file", animation.file_name ?? "GIF", "", emulator.file(animation.file_id));
  if (audio) return card("voice", audio.title ?? audio.file_name ?? "Audio", `${audio.duration ?? 0} s`, emulator.file(audio.file_id));
  if (document) return card("file", document.file_name ?? "File", "", emulator.file(document.file_id));
  if (voice) return card("voice", "Voice message", `${voice.duration ?? 0} s`);
  return null;
}

function card(picture, title, line, href) {
  const name = href ? h("a", { href, download: title }, title) : h("strong", {}, title);
  return h("div", { class: "card" }, h("span", { class: "card-icon" }, icon(picture)), h("div", {}, name, h("span", {}, line)));
}

function meta(row, isMine) {
  const first = row.messages[0];
  const [name, words] = TICKS[first.delivery ?? "sent"] ?? TICKS.sent;
  return h(
    "span",
    { class: "meta" },
    first.edited && !first.deleted && h("span", { data: { testid: "edited" } }, "edited"),
    h("time", {}, time(first.date * 1000)),
    isMine &&
      h("span", { class: `ticks ${first.delivery}`, role: "img", "aria-label": words, title: words, data: { testid: "ticks", delivery: first.delivery } }, icon(name)),
  );
}

const short = (words) => (words.length > 40 ? `${words.slice(0, 39)}…` : words);

function actions(row, view, isMine) {
  const first = row.messages[0];
  const words = short(said(first));
  const button = (name, label, act) =>
    h("button", { type: "button", class: "small round", "aria-label": `${label}: ${words}`, title: label, data: { testid: `row-${name}` }, on: { click: act } }, icon(name));
  return h(
    "div",
    { class: "row-actions" },
    button("reply", "Reply", () => view.reply(first)),
    isMine && first.text && button("edit", "Edit", () => view.edit(first)),
    isMine && first.update_id && button("inspect", "Show the update", () => view.inspect(first.update_id)),
  );
}
