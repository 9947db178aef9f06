// What a chat's log consists of: days, service lines, messages, albums. Pure: no element is made here.

import { day } from "./format.js";

/** What is in an album, and what names each kind of content in a word. */
const KINDS = {
  photo: "📷 Photo",
  sticker: "Sticker",
  voice: "🎤 Voice message",
  document: "📎 File",
  contact: "👤 Contact",
  location: "📍 Location",
  video: "Video",
  audio: "Audio",
  animation: "GIF",
};

/**
 * The log as rows `{ kind, key, … }`: a day before its first message, the parts of an album as one row, and of messages that
 * follow each other from the same sender only the last one with a tail.
 */
export function rows(messages, now) {
  const all = [];
  let lastDay = null;
  for (const message of messages) {
    const today = day(message.date * 1000, now);
    if (today !== lastDay) all.push({ kind: "day", key: `day ${message.message_id}`, words: today });
    lastDay = today;
    const last = all.at(-1);
    if (isPart(last, message)) last.messages.push(message);
    else all.push(row(message));
  }
  all.forEach(leaveOutGone);
  all.forEach((one, at) => (one.isLast = sender(one) !== sender(all[at + 1])));
  return all;
}

/** A message in one line. */
export function summary(message) {
  if (message.text) return message.text;
  const kind = Object.keys(KINDS).find((name) => message[name]);
  const words = kind ? KINDS[kind] : (service(message) ?? "Message");
  return message.caption ? `${words}: ${message.caption}` : words;
}

/** The last message of a chat in one line, with who wrote it: in a group by name, since several people speak there. */
export function preview(message, isGroup) {
  const isSaid = message.by !== "bot" && !service(message);
  const who = isGroup ? (message.from?.first_name ?? "") : "You";
  return isSaid && who ? `${who}: ${summary(message)}` : summary(message);
}

/** The words of a message that nobody wrote, or null. */
export function service(message) {
  const names = (people) => people.map((person) => person.first_name).join(", ");
  if (message.new_chat_members) return `${names(message.new_chat_members)} joined`;
  if (message.left_chat_member) return `${message.left_chat_member.first_name} left`;
  if (message.forum_topic_created) return `Topic “${message.forum_topic_created.name}” was created`;
  if (message.migrate_to_chat_id) return "The group became a supergroup";
  if (message.migrate_from_chat_id) return "The group became this supergroup";
  if (message.group_chat_created || message.supergroup_chat_created) return "The group was created";
  if (message.pinned_message) return "A message was pinned";
  return message.new_chat_title ? `The group is now “${message.new_chat_title}”` : null;
}

function row(message) {
  const words = service(message);
  if (words) return { kind: "service", key: message.message_id, words };
  return { kind: "message", key: message.message_id, messages: [message] };
}

function isPart(last, message) {
  const first = last?.messages?.[0];
  return Boolean(message.media_group_id) && first?.media_group_id === message.media_group_id;
}

/** An album is what is left of it, as long as anything is. */
function leaveOutGone(row) {
  const left = row.messages?.filter((message) => !message.deleted);
  if (left?.length) row.messages = left;
}

const sender = (row) => (row?.messages ? (row.messages[0].from?.id ?? row.messages[0].by) : null);
