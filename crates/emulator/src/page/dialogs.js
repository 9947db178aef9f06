// The small forms: a new person, a new group, a new topic.

import { emulator } from "./api.js";
import { avatar } from "./avatar.js";
import { fill, h } from "./dom.js";
import { load } from "./events.js";
import { fullName } from "./format.js";
import { go } from "./route.js";
import { state } from "./store.js";
import { fault } from "./toast.js";

const LANGUAGES = ["en", "ru", "de", "es", "fr", "it", "nl", "pl", "pt", "tr", "uk"];
const NOBODY = "A group needs at least one member: somebody must be able to speak.";

/** Asks for a new person and opens their chat. */
export const newPerson = () => personForm("New person", {}, (fields) => emulator.addPerson(fields), "Add");

/** Asks for a new person, who does something at once. */
export const newPersonWho = (does) => {
  const add = async (fields) => {
    const made = await emulator.addPerson(fields);
    await does(made);
    return made;
  };
  personForm("New person", {}, add, "Add");
};

/** Changes a person. */
export const editPerson = (person) =>
  personForm("Change person", person, (fields) => emulator.changePerson(person.id, fields), "Save");

/** Asks for a new group and opens it. */
export function newGroup() {
  const forum = h("label", { class: "member" }, h("input", { type: "checkbox", name: "forum" }), "With topics (a forum)");
  const fields = [input("Title", "title", { required: true, autofocus: true }), memberList(() => true), forum];
  form("New group", fields, "Create", async (data) => {
    if (!data.has("members")) throw new Error(NOBODY);
    const isForum = data.has("forum");
    const group = { title: data.get("title"), members: data.getAll("members").map(Number), kind: isForum ? "supergroup" : "group", forum: isForum };
    await opened(await emulator.addGroup(group));
  });
}

/** Lets people come into a group and leave it. */
export function changeMembers(group) {
  form("Members", [memberList((person) => group.members.includes(person.id))], "Save", async (data) => {
    const wanted = data.getAll("members").map(Number);
    if (wanted.length === 0) throw new Error(NOBODY);
    const change = (ids, status) => ids.map((id) => () => emulator.member(group.id, id, status));
    const come = wanted.filter((id) => !group.members.includes(id));
    const leave = group.members.filter((id) => !wanted.includes(id));
    for (const deed of [...change(come, "member"), ...change(leave, "left")]) await deed();
  });
}

/** Everybody, each to be chosen or not. */
function memberList(isChosen) {
  const members = [...state.people.values()].map((person) =>
    h(
      "label",
      { class: "member" },
      h("input", { type: "checkbox", name: "members", value: person.id, checked: isChosen(person) }),
      avatar(person.id, fullName(person), "tiny"),
      fullName(person),
    ),
  );
  return h("fieldset", {}, h("legend", {}, "Members"), members);
}

/** Asks for a new topic of a group. */
export function newTopic(group) {
  form("New topic", [input("Name", "name", { required: true, autofocus: true })], "Create", async (data) => {
    await emulator.addTopic(group.id, data.get("name"));
    await load();
  });
}

function personForm(title, person, save, verb) {
  const languages = h(
    "select",
    { name: "language", data: { testid: "person-language" } },
    LANGUAGES.map((code) => h("option", { value: code, selected: code === (person.language_code ?? "en") }, code)),
  );
  const fields = [
    input("Name", "name", { required: true, autofocus: true, value: person.first_name, testid: "person-name" }),
    input("Last name", "last_name", { value: person.last_name }),
    input("Username", "username", { value: person.username, pattern: "[A-Za-z0-9_]{4,32}", title: "4 to 32 letters, digits or _" }),
    h("label", {}, "Language", languages),
    roleField(person.role ?? ""),
  ];
  form(title, fields, verb, async (data) => {
    const filled = [...data.entries()].filter(([name, value]) => value !== "" || name in person);
    await opened(await save(Object.fromEntries(filled)));
  });
}

/** One of the roles that the bot knows; any word where it is not known which. */
function roleField(role) {
  const known = state.bot?.roles ?? [];
  if (known.length === 0) return input("Role", "role", { value: role, placeholder: "none", testid: "person-role" });
  const offered = [...new Set(["", role, ...known])];
  const options = offered.map((one) => h("option", { value: one, selected: one === role }, one || "none"));
  return h("label", {}, "Role", h("select", { name: "role", data: { testid: "person-role" } }, options));
}

/** Shows what was made, once it is known. */
async function opened(made) {
  await load();
  go(made.id);
}

function input(label, name, { testid, ...attributes } = {}) {
  return h("label", {}, label, h("input", { name, autocomplete: "off", data: { testid }, ...attributes }));
}

/**
 * A form of these fields in a window of its own. It is submitted with its data, without blanks around what was typed; it stays
 * open with all that was typed until that is taken, and says why it was not.
 */
export function form(title, fields, verb, submit) {
  const cancel = h("button", { type: "button" }, "Cancel");
  const refusal = h("p", { class: "refusal", role: "alert", data: { testid: "dialog-error" } });
  const button = h("button", { class: "primary", data: { testid: "dialog-submit" } }, verb);
  const body = h("form", { method: "dialog" }, h("h2", {}, title), fields, refusal, h("div", { class: "buttons" }, cancel, button));
  const box = h("dialog", { class: "form", "aria-label": title, data: { testid: "dialog" } }, body);
  cancel.addEventListener("click", () => box.close());
  body.addEventListener("submit", async (event) => {
    event.preventDefault();
    trim(body);
    if (button.disabled || !body.reportValidity()) return;
    button.disabled = true;
    const error = await submit(new FormData(body)).then(() => null, (refused) => refused);
    button.disabled = false;
    if (!error) return box.close();
    if (box.open) fill(refusal, error.message);
    else fault(error.message);
  });
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

/** Blanks are no name. */
function trim(body) {
  for (const field of body.querySelectorAll("input:not([type=checkbox])")) field.value = field.value.trim();
}
