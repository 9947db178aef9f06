// All that can go wrong on command, in people's words. What it is made of, the emulator says at `GET /emulator/`.

/** What goes wrong, by what it goes wrong with: its name, what happens, and what can be said of it besides how often and where. */
export const GROUPS = [
  {
    name: "With the delivery of an update",
    all: [
      delivery("close_before", "Cut off before the bot has it", "The connection is closed before the bot has the whole update. It comes again."),
      delivery("close_after", "Cut off after the bot answered", "The bot answers, and the connection is closed before the answer arrives. The update comes again."),
      delivery("truncate", "The bot's answer breaks off", "Half of the bot's answer arrives. The update comes again."),
      delivery("delay", "The bot's answer is late", "The answer arrives after so many seconds. After 60, or where nothing is said, Telegram gives up and sends the update again.", ["after_s"]),
      delivery("twice", "Sent twice at once", "The update arrives on two connections at the same time."),
      delivery("drop_ack", "The bot's answer is forgotten", "Telegram forgets that the bot has taken the update, and sends it again."),
      delivery("resend_press", "A press is sent again", "The app sends a press once more, under new ids."),
    ],
  },
  {
    name: "With a call of the bot",
    all: [
      call("too_many", "A call is refused with 429", "Too many requests: come again after so many seconds.", ["retry_after"]),
      call("error", "A call is refused with an error", "Nothing is done, and the bot is told so.", ["status", "description"]),
      call("hang", "A call gets no answer", "It is done, and the bot never hears of it."),
      call("reset", "A call is cut off", "It is done, and the connection is cut instead of an answer."),
      call("garbage", "A call gets an answer that is no JSON", "It is done, and the bot cannot read what it is told."),
      call("truncate", "A call gets half an answer", "It is done, and the bot is told half of it."),
      call("slow", "A call is answered slowly", "It is done, and the bot hears of it after so many seconds.", ["after_s"]),
    ],
  },
  {
    name: "With Telegram itself",
    all: [
      server("restart", "Telegram restarts", "The Bot API server restarts, and sends again what was not acknowledged."),
      server("restart_lower", "Telegram restarts with lower ids", "The same, and the next updates have lower ids than those before."),
      server("limits", "Telegram keeps its limits", "A message a second in a chat, 20 a minute in a group, 30 a second in all; 429 for the rest."),
    ],
  },
];

/** Everything of it. */
export const ALL = GROUPS.flatMap(({ all }) => all);

/** The fields of a fault: its name on the page, and what stands there at first. Numbers have a least and a greatest. */
export const FIELDS = {
  method: { label: "Method", placeholder: "any" },
  times: { label: "Times", least: 1, value: 1, placeholder: "until taken back" },
  after_s: { label: "Seconds", least: 0, most: 600 },
  retry_after: { label: "Retry after, seconds", least: 1, most: 600, value: 3 },
  status: { label: "Status", least: 300, most: 599, value: 502 },
  description: { label: "Description", value: "Bad Gateway" },
};

/** What the emulator is asked for: `values` by field, as they were written; `chat` where it shall go wrong in that one only. */
export function asked({ on, kind, fields }, values, chat = null) {
  const said = fields.filter((name) => (values[name] ?? "").trim() !== "");
  const read = (name) => (FIELDS[name].least === undefined ? values[name].trim() : Number(values[name]));
  return { on, kind, ...Object.fromEntries(said.map((name) => [name, read(name)])), ...(chat === null ? {} : { chat }) };
}

/** What is known of a fault that the emulator has. */
export const known = ({ on, kind }) => ALL.find((one) => one.on === on && one.kind === kind) ?? { id: `${on}/${kind}`, title: kind.replaceAll("_", " ") };

/** What is special about a fault: where, how, and how often yet. */
export function particulars({ method, chat, after_s, retry_after, status, times }, nameOf) {
  const span = after_s ?? retry_after;
  return [
    method,
    status,
    span === undefined ? null : `${span}\u00a0s`,
    chat === undefined ? null : `with ${nameOf(chat)}`,
    times === undefined ? "always" : times === 1 ? "once" : `${times}×`,
  ].filter(Boolean);
}

function delivery(kind, title, words, more = []) {
  return { id: `delivery/${kind}`, on: "delivery", kind, title, words, fields: ["times", ...more] };
}

function call(kind, title, words, more = []) {
  return { id: `call/${kind}`, on: "call", kind, title, words, fields: ["method", "times", ...more] };
}

function server(kind, title, words) {
  return { id: `server/${kind}`, on: "server", kind, title, words, fields: [] };
}
