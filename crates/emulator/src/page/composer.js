// Where messages are written: text with completion of commands, pictures, contacts; a reply, or a change of what was sent.

import { attempt, edit as change, here, send } from "./acts.js";
import { emulator } from "./api.js";
import * as commands from "./commands.js";
import { byId, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { openMenu } from "./menu.js";
import { album, base64, isPicture, noPictures, shrink } from "./photos.js";
import { summary } from "./rows.js";
import { messagesOf, on, speakerIn, state } from "./store.js";
import { fault } from "./toast.js";

/** Chat id → { text, pictures, reply, edit }: what is being written there. */
const drafts = new Map();

const draft = () => {
  if (!drafts.has(state.open)) drafts.set(state.open, { text: "", pictures: [], reply: null, edit: null });
  return drafts.get(state.open);
};
const field = () => byId("composer-text");

/** Gives the composer its work. */
export function start() {
  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  field().addEventListener("input", typed);
  field().addEventListener("keydown", keyed);
  byId("attach").addEventListener("click", ({ currentTarget }) => openMenu(currentTarget, "Attach", attachable()));
  byId("photo-input").addEventListener("change", ({ target }) => {
    add([...target.files]);
    target.value = "";
  });
  takeDrops(byId("chat"));
  document.addEventListener("paste", pasted);
  commands.start(choose);
  byId("restart").addEventListener("click", restart);
  on("open", restore);
  on("people", drawPlace);
  new ResizeObserver(fit).observe(byId("chat"));
}

/** Lets one write at once; not where that brings up a keyboard over half the screen, unless one uses keys already. */
export function focus(isByKey = false) {
  if (state.open !== null && (isByKey || matchMedia("(hover: hover)").matches)) field().focus({ preventScroll: true });
}

/** Answers a message. */
export function reply(message) {
  Object.assign(draft(), { reply: message, edit: null });
  redraw();
  field().focus();
}

/** Changes a message that was sent. */
export function edit(message) {
  Object.assign(draft(), { edit: message, reply: null, text: message.text });
  restore();
}

/** Opens the choice of a file, as the first entry of the attach menu does. */
export const pickPhoto = () => byId("photo-input").click();

function typed() {
  draft().text = field().value;
  commands.suggest(field().value);
  redraw();
}

function keyed(event) {
  if (commands.keyed(event)) return;
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    submit();
  } else if (event.key === "Escape") leave();
  else if (event.key === "ArrowUp" && field().value === "") editLast(event);
}

function editLast(event) {
  const mine = (message) => message.by === "person" && message.from?.id === speakerIn(state.open) && message.text && !message.deleted;
  const last = messagesOf(state.open).findLast(mine);
  if (!last) return;
  event.preventDefault();
  edit(last);
}

/** Gives up a reply or a change, else the pictures. */
function leave() {
  const writing = draft();
  if (writing.edit) Object.assign(writing, { edit: null, text: "" });
  else if (writing.reply) writing.reply = null;
  else writing.pictures = [];
  restore();
}

/** Takes a command chosen from the menu: sent at once, as Telegram does. */
function choose(command) {
  draft().text = "";
  restore();
  return send({ text: command });
}

/** Sends what is written; what could not be sent is there again. */
async function submit() {
  const writing = draft();
  const { text, pictures, reply, edit } = writing;
  const place = here();
  if (state.open === null || (!text.trim() && pictures.length === 0)) return;
  Object.assign(writing, { text: "", pictures: [], reply: null, edit: null });
  restore();
  const isSent = edit ? await change(edit, text.trim()) : await send(await letter(text.trim(), pictures, reply), place);
  if (isSent) pictures.forEach(({ url }) => URL.revokeObjectURL(url));
  else if (writing.text === "" && writing.pictures.length === 0) {
    Object.assign(writing, { text, pictures, reply, edit });
    restore();
  }
}

/** A message of these words and pictures. */
async function letter(words, pictures, reply) {
  const answer = reply ? { reply_to: reply.message_id } : {};
  if (pictures.length === 0) return { text: words, ...answer };
  const files = await Promise.all(pictures.map(({ blob }) => base64(blob)));
  const content = files.length === 1 ? { photo: files[0] } : { album: files };
  return { ...content, ...(words ? { caption: words } : {}), ...answer };
}

/** What can be attached. */
const attachable = () => [
  { icon: "photo", label: "Photo…", hint: "or drop, or paste", testid: "attach-photo", act: pickPhoto },
  { icon: "photo", label: "Sample picture", hint: "made up, sent at once", testid: "attach-sample", act: () => send({ photo: true }) },
  { icon: "contact", label: "My contact", testid: "attach-contact", act: () => send({ contact: true }) },
  { icon: "pin", label: "Location", testid: "attach-location", act: () => send({ location: { latitude: 52.3676, longitude: 4.9041 } }) },
  { icon: "sticker", label: "Sticker", testid: "attach-sticker", act: () => send({ sticker: true }) },
  { icon: "voice", label: "Voice message", testid: "attach-voice", act: () => send({ voice: true }) },
];

/** Puts pictures into what is being written, and says which files were left out. */
async function add(files) {
  if (files.length === 0 || state.open === null) return;
  const writing = draft();
  const read = await Promise.all(files.map(async (file) => ({ file, blob: isPicture(file) ? await shrink(file) : null })));
  const drawn = read.filter(({ blob }) => blob).map(({ blob }) => ({ blob, url: URL.createObjectURL(blob) }));
  const { kept, words } = album([...writing.pictures, ...drawn]);
  drawn.filter((picture) => !kept.includes(picture)).forEach(({ url }) => URL.revokeObjectURL(url));
  writing.pictures = kept;
  const others = read.filter(({ blob }) => !blob).map(({ file }) => file);
  [noPictures(others), words].filter(Boolean).forEach(fault);
  redraw();
  field().focus();
}

function pasted(event) {
  const pictures = [...(event.clipboardData?.files ?? [])].filter(isPicture);
  if (pictures.length === 0 || state.open === null) return;
  event.preventDefault();
  add(pictures);
}

/** Takes files that are dropped on the chat; beside it the browser would open them in the place of the page. */
function takeDrops(target) {
  const mark = (is) => target.classList.toggle("dropping", is);
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const isHere = target.contains(event.target);
    event.dataTransfer.dropEffect = isHere ? "copy" : "none";
    mark(isHere);
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => !target.contains(relatedTarget) && mark(false));
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(false);
    if (target.contains(event.target)) add([...event.dataTransfer.files]);
  });
}

function restore() {
  drawPlace();
  field().value = draft().text;
  commands.suggest("");
  redraw();
  focus();
}

/** Who blocked the bot does not write to it: in the place of the composer is a button that unblocks it, as in Telegram. */
function drawPlace() {
  const isBlocked = Boolean(state.people.get(state.open)?.blocked);
  byId("composer").hidden = state.open === null || isBlocked;
  byId("restart").hidden = !isBlocked;
}

/** Unblocks the bot and begins anew. */
async function restart() {
  const place = here();
  if (await attempt(() => emulator.block(place.from, false))) await send({ text: "/start" }, place);
}

function redraw() {
  const { text, pictures, reply, edit } = draft();
  fit();
  byId("send").disabled = !text.trim() && pictures.length === 0;
  drawNote(edit ?? reply, edit ? "Edit" : "Reply to");
  byId("previews").hidden = pictures.length === 0;
  fill(byId("previews"), pictures.map(preview));
}

/** Makes the field as high as its text; what is not on the screen has no height, and is measured when it is. */
function fit() {
  const box = field();
  if (box.offsetParent === null) return;
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight, 160)}px`;
}

function drawNote(message, verb) {
  byId("note").hidden = !message;
  if (!message) return;
  const cancel = h("button", { type: "button", class: "small round", "aria-label": `Do not ${verb.toLowerCase()}`, on: { click: leave } }, icon("close"));
  const who = verb === "Edit" ? "this message" : (message.from?.first_name ?? "this message");
  fill(byId("note"), h("div", {}, h("strong", {}, `${verb} ${who}`), h("span", {}, summary(message))), cancel);
}

function preview(picture) {
  const drop = () => {
    URL.revokeObjectURL(picture.url);
    draft().pictures = draft().pictures.filter((other) => other !== picture);
    redraw();
  };
  const button = h("button", { type: "button", class: "small round", "aria-label": "Remove this picture", on: { click: drop } }, icon("close"));
  return h("div", { class: "preview", data: { testid: "preview" } }, h("img", { src: picture.url, alt: "Picture to send" }), button);
}
