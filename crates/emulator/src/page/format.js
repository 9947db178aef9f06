// How times, names and colours are written.

const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });

/** Hours and minutes. */
export const time = (ms) => TIME.format(ms);
/** Hours, minutes and seconds. */
export const clock = (ms) => CLOCK.format(ms);

/** A day as people say it. */
export function day(ms, now) {
  const days = Math.round((midnight(now) - midnight(ms)) / 86_400_000);
  return { 0: "Today", 1: "Yesterday", [-1]: "Tomorrow" }[days] ?? DAY.format(ms);
}

/** A point in time, with its day where it is not today. */
export function moment(ms, now) {
  const on = day(ms, now);
  return on === "Today" ? clock(ms) : `${on} ${time(ms)}`;
}

const midnight = (ms) => new Date(ms).setHours(0, 0, 0, 0);

/** A span that counts down: `4:05`, `1:02:03`. */
export function countdown(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** How long something took. */
export function took(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1) return "< 1 ms";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `1 reply`, `2 replies`. */
export const count = (n, one, many = `${one}s`) => `${n === 0 ? "no" : n} ${n === 1 ? one : many}`;

/** A person's whole name. */
export const fullName = (person) => [person.first_name, person.last_name].filter(Boolean).join(" ");

/** The letters in an avatar. */
export function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  const first = (word) => [...(word ?? "")][0] ?? "";
  return (first(words[0]) + (words.length > 1 ? first(words.at(-1)) : "")).toUpperCase() || "?";
}

/** One of the seven colours of avatars and names. */
export const colourOf = (id) => Math.abs(Number(id)) % 7;
