// Starts everything, in the order in which it depends on each other.

import * as chat from "./chat.js";
import * as coach from "./coach.js";
import * as composer from "./composer.js";
import { newGroup, newPerson } from "./dialogs.js";
import { byId } from "./dom.js";
import { follow } from "./events.js";
import * as faults from "./faults.js";
import { icon } from "./icons.js";
import * as inspector from "./inspector.js";
import * as keyboard from "./keyboard.js";
import * as log from "./log.js";
import { openMenu } from "./menu.js";
import * as mishaps from "./mishaps.js";
import * as people from "./people.js";
import * as route from "./route.js";
import * as status from "./status.js";
import * as theme from "./theme.js";

for (const part of [theme, status, people, chat, log, keyboard, composer, inspector, faults, mishaps, coach]) part.start();

byId("add").addEventListener("click", ({ currentTarget }) =>
  openMenu(currentTarget, "Add", [
    { icon: "contact", label: "New person…", testid: "new-person", act: newPerson },
    { icon: "group", label: "New group…", testid: "new-group", act: newGroup },
    { icon: "again", label: "Clear all chats…", testid: "reset", act: status.reset },
  ]),
);
for (const button of document.querySelectorAll("[data-icon]")) button.append(icon(button.dataset.icon));
byId("app").hidden = false;

follow(() => {
  route.start();
  document.body.dataset.ready = "true";
});
