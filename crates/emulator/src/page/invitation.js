// Links to this bot, as invitations are: opened as somebody who is here, for the bot is not out there on the Internet.

import { attempt } from "./acts.js";
import { emulator } from "./api.js";
import { newPersonWho } from "./dialogs.js";
import { fullName } from "./format.js";
import { openMenu } from "./menu.js";
import { go } from "./route.js";
import { state } from "./store.js";

const HOSTS = ["t.me", "telegram.me"];

/** What the bot of this name is started with by a link, which may be nothing; null for any other link. */
export function payload(url, username) {
  if (!username || !URL.canParse(url)) return null;
  const { hostname, pathname, searchParams } = new URL(url);
  const name = HOSTS.includes(hostname) ? pathname.slice(1) : /^tg:/i.test(url) ? searchParams.get("domain") : null;
  if (name?.toLowerCase() !== username.toLowerCase() || searchParams.has("startgroup")) return null;
  return searchParams.get("start") ?? "";
}

/** What is done at the element of a link to this bot; null for any other link. */
export function invitation(url) {
  const word = payload(url, state.bot?.username);
  return word === null ? null : (anchor) => offer(anchor, `/start ${word}`.trim());
}

function offer(anchor, text) {
  const people = [...state.people.values()].map((person) => ({
    icon: "contact",
    label: `Open as ${fullName(person)}`,
    hint: person.role,
    testid: "open-as",
    act: () => begin(person, text),
  }));
  const somebodyNew = { icon: "add", label: "Open as a new person…", testid: "open-as-new", act: () => newPersonWho((made) => begin(made, text)) };
  openMenu(anchor, "Who opens this link", [...people, somebodyNew]);
}

function begin({ id }, text) {
  go(id);
  return attempt(() => emulator.send({ from: id, chat: id, text }));
}
