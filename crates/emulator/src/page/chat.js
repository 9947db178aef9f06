// The open chat: its head, its log, and what stands there before the first message.

import { attempt, send } from "./acts.js";
import { emulator } from "./api.js";
import { avatar } from "./avatar.js";
import { bubble } from "./bubble.js";
import * as composer from "./composer.js";
import { changeMembers, editPerson, newPerson, newTopic } from "./dialogs.js";
import { byId, fill, h } from "./dom.js";
import { read, speakAs } from "./events.js";
import { fullName } from "./format.js";
import { outage, trouble } from "./health.js";
import { showUpdate } from "./inspector.js";
import { keep } from "./keyed.js";
import { pressed } from "./keyboard.js";
import { openMenu } from "./menu.js";
import { show } from "./route.js";
import { rows } from "./rows.js";
import { changed, chatOf, isInThread, messagesOf, now, on, speakerIn, state, thread } from "./store.js";

/** How many messages are drawn. */
const DRAWN = 400;
/** How near to its end the log counts as being at the end. */
const NEAR = 80;

let drawn = null;
let isAtEnd = true;
let missed = 0;

/** Draws the chat and keeps it up to date. */
export function start() {
  on("chat open people process connection", drawHead);
  on("chat open clock", drawLog);
  const log = byId("log");
  log.addEventListener("scroll", () => watchEnd(log));
  log.addEventListener("load", () => isAtEnd && toEnd(), true);
  new ResizeObserver(() => isAtEnd && toEnd()).observe(log);
  byId("to-end").addEventListener("click", toEnd);
  byId("chat-menu").addEventListener("click", ({ currentTarget }) => openMenu(currentTarget, "Chat", menuItems()));
  byId("to-list").addEventListener("click", () => show("list"));
  byId("to-inspector").addEventListener("click", () => show("inspector"));
  document.addEventListener("visibilitychange", () => !document.hidden && state.open !== null && read(state.open));
}

function drawHead() {
  const person = state.people.get(state.open);
  const group = state.groups.get(state.open);
  byId("chat-head").hidden = !person && !group;
  const name = group ? group.title : (state.bot?.first_name ?? "Bot");
  fill(byId("chat-avatar"), avatar(group ? group.id : 4, name, "medium"));
  fill(byId("chat-name"), name);
  const { words, kind } = status(person, group);
  fill(byId("chat-status"), words).className = kind;
  drawSpeakers(group);
  drawTopics(group);
}

/** What stands under the name: what is wrong, typing, who is speaking. */
function status(person, group) {
  const action = state.open === null ? null : chatOf(state.open).action;
  const wrong = outage() ?? trouble();
  if (wrong) return { words: wrong, kind: "bad" };
  if (action) return { words: typing(action), kind: "typing" };
  if (group) return { words: `${group.members.length} people and the bot`, kind: "" };
  return { words: person ? `bot · you are ${fullName(person)}` : "", kind: "" };
}

const typing = (action) =>
  h("span", { class: "dots" }, { typing: "typing", upload_photo: "sending a photo" }[action] ?? action.replaceAll("_", " "));

function drawSpeakers(group) {
  const box = byId("speakers");
  box.hidden = !group;
  if (!group) return;
  const speaker = speakerIn(group.id);
  const members = group.members.map((id) => state.people.get(id)).filter(Boolean);
  keep(box, members, {
    key: (person) => person.id,
    stamp: (person) => JSON.stringify([person, person.id === speaker]),
    make: (person) => speakerChip(group, person, person.id === speaker),
  });
}

const speakerChip = (group, person, isSpeaker) =>
  h(
    "button",
    {
      type: "button",
      class: "chip",
      "aria-pressed": String(isSpeaker),
      data: { testid: "speaker", person: person.id },
      on: { click: () => speakAs(group.id, person.id) },
    },
    avatar(person.id, fullName(person), "tiny"),
    person.first_name,
  );

function drawTopics(group) {
  const box = byId("topics");
  box.hidden = !group?.forum;
  if (!group?.forum) return;
  const open = state.threads.get(group.id) ?? null;
  const choose = (id) => () => {
    state.threads.set(group.id, id);
    changed("chat", "open");
  };
  const chip = ({ id, name }) =>
    h("button", { type: "button", class: "chip", "aria-pressed": String(id === open), data: { testid: "topic" }, on: { click: choose(id) } }, name);
  const add = () => h("button", { type: "button", class: "chip", data: { testid: "new-topic" }, on: { click: () => newTopic(group) } }, "+ Topic");
  keep(box, [{ id: null, name: "General" }, ...group.topics, { id: "new" }], {
    key: ({ id }) => `${group.id}/${id}`,
    stamp: (topic) => JSON.stringify([topic, topic.id === open]),
    make: (topic) => (topic.id === "new" ? add() : chip(topic)),
  });
}

function drawLog() {
  const log = byId("log");
  const messages = state.open === null ? [] : messagesOf(state.open).filter(isInThread);
  const isNew = drawn !== `${state.open}/${thread()}`;
  if (isNew) log.setAttribute("aria-busy", "true");
  const before = log.children.length;
  keep(log, rows(messages.slice(-DRAWN), now()), {
    key: (row) => `${state.open} ${row.key}`,
    stamp: (row) => JSON.stringify([row, row.messages?.map((message) => pressed(state.open, message)), speakerIn(state.open)]),
    make: (row, old) => bubble(row, view(), !old),
  });
  byId("older").hidden = messages.length <= DRAWN;
  drawEmpty(messages.length === 0);
  if (isNew || isAtEnd) toEnd();
  else missed += Math.max(0, log.children.length - before);
  if (isNew) setTimeout(() => log.removeAttribute("aria-busy"), 100);
  drawn = `${state.open}/${thread()}`;
  drawToEnd();
}

const view = () => ({
  chat: state.open,
  me: speakerIn(state.open),
  isGroup: state.groups.has(state.open),
  reply: composer.reply,
  edit: composer.edit,
  find,
  inspect: (update) => {
    show("inspector");
    showUpdate(update);
  },
});

function find(id) {
  const row = byId("log").querySelector(`[data-message="${Number(id)}"]`);
  row?.scrollIntoView({ block: "center", behavior: "smooth" });
  row?.classList.add("found");
  setTimeout(() => row?.classList.remove("found"), 1500);
}

/** Tells a newcomer, in a sentence and a button, what to do. */
function drawEmpty(isEmpty) {
  const box = byId("empty");
  box.hidden = !state.loaded || !isEmpty;
  if (!box.hidden) fill(box, state.open === null ? nobody() : newcomer());
}

const nobody = () =>
  h(
    "div",
    { class: "welcome" },
    h("h2", {}, "Nobody is here yet"),
    h("p", {}, "Add a person, and talk to the bot as them."),
    h("button", { type: "button", class: "primary", data: { testid: "first-person" }, on: { click: newPerson } }, "Add a person"),
  );

const newcomer = () =>
  h(
    "div",
    { class: "welcome" },
    h("span", { class: "wave", "aria-hidden": "true" }, "👋"),
    h("h2", {}, `Talk to ${state.bot?.first_name ?? "the bot"}`),
    h("p", {}, invites()),
    !state.groups.has(state.open) && h("button", { type: "button", class: "primary wide", data: { testid: "start" }, on: { click: begin } }, "Start"),
  );

/** What a newcomer is told; a group has no Start, as in Telegram. */
function invites() {
  if (state.groups.has(state.open)) return "Choose who speaks, and write: everybody here reads it, and so does the bot.";
  if (!state.process) return "Press Start: it sends /start, and the bot answers.";
  return "Press Start, then send /photo and a picture, and see in the inspector what the bot remembers.";
}

/** The button goes with the first message: the focus does not. */
function begin({ currentTarget }) {
  composer.focus(currentTarget.matches(":focus-visible"));
  return send({ text: "/start" });
}

function menuItems() {
  const person = state.people.get(state.open);
  const group = state.groups.get(state.open);
  if (group) {
    const runsIt = group.bot === "administrator";
    const isThere = runsIt || group.bot === "member";
    return [
      { icon: "group", label: "Members…", hint: "who comes, who leaves", testid: "members", act: () => changeMembers(group) },
      {
        icon: "stop",
        label: isThere ? "Remove the bot" : "Take the bot in",
        testid: "bot-membership",
        act: () => attempt(() => emulator.botBecomes(group.id, isThere ? "kicked" : "member")),
      },
      isThere && group.kind !== "channel" && {
        icon: "edit",
        label: runsIt ? "Make the bot a mere member" : "Make the bot an administrator",
        hint: "who hears of joins and reactions, and may pin and delete",
        testid: "bot-rights",
        act: () => attempt(() => emulator.botBecomes(group.id, runsIt ? "member" : "administrator")),
      },
      group.forum && { icon: "add", label: "New topic…", act: () => newTopic(group) },
      group.kind === "group" && { icon: "group", label: "Become a supergroup", hint: "the group gets a new id", testid: "migrate", act: () => attempt(() => emulator.migrate(group.id)) },
    ].filter(Boolean);
  }
  return [
    { icon: "edit", label: "Change this person…", testid: "edit-person", act: () => editPerson(person) },
    {
      icon: "stop",
      label: person.blocked ? "Unblock the bot" : "Block the bot",
      testid: "block",
      act: () => attempt(() => emulator.block(person.id, !person.blocked)),
    },
  ];
}

function watchEnd(log) {
  isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  if (isAtEnd) missed = 0;
  drawToEnd();
}

function toEnd() {
  const log = byId("log");
  log.scrollTop = log.scrollHeight;
  isAtEnd = true;
  missed = 0;
  drawToEnd();
}

function drawToEnd() {
  byId("to-end").hidden = isAtEnd;
  fill(byId("missed"), missed > 0 ? String(missed) : "").hidden = missed === 0;
}
