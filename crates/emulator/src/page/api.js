// The requests to the emulator and to the playground. A refusal is thrown as an Error in the server's own words.

async function request(method, path, body) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }).catch(() => {
    throw new Error("The emulator does not answer. Is it still running?");
  });
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  const error = new Error(said.error ?? `${method} ${path}: ${answer.status}`);
  error.status = answer.status;
  throw error;
}

const get = (path) => request("GET", path);
const post = (path, body = {}) => request("POST", path, body);

export const emulator = {
  state: () => get("/emulator/state"),
  chat: (id) => get(`/emulator/chats/${id}`),
  updates: (limit) => get(`/emulator/updates?limit=${limit}`),
  calls: (limit) => get(`/emulator/calls?limit=${limit}`),
  addPerson: (person) => post("/emulator/people", person),
  changePerson: (id, person) => request("PATCH", `/emulator/people/${id}`, person),
  block: (id, blocked) => post(`/emulator/people/${id}/block`, { blocked }),
  addGroup: (group) => post("/emulator/groups", group),
  addTopic: (group, name) => post(`/emulator/groups/${group}/topics`, { name }),
  member: (group, person, status) => post(`/emulator/groups/${group}/members`, { person, status }),
  botBecomes: (group, status) => post(`/emulator/groups/${group}/bot`, { status }),
  migrate: (group) => post(`/emulator/groups/${group}/migrate`),
  send: (message) => post("/emulator/messages", message),
  edit: (edit) => post("/emulator/messages/edit", edit),
  press: (press) => post("/emulator/press", press),
  race: (race) => post("/emulator/race", race),
  again: (update, times) => post(`/emulator/updates/${update}/again`, { times }),
  fault: (fault) => post("/emulator/faults", fault),
  takeBack: (id) => request("DELETE", `/emulator/faults/${id}`),
  clearFaults: () => request("DELETE", "/emulator/faults"),
  restart: (ids) => post("/emulator/restart", ids ? { ids } : {}),
  limits: (on) => post("/emulator/limits", { on }),
  advance: (span) => post("/emulator/clock", { advance: span }),
  reset: () => post("/emulator/reset"),
  file: (id) => `/emulator/files/${encodeURIComponent(id)}`,
};

export const playground = {
  bot: () => get("/playground/bot"),
  flows: () => get("/playground/flows"),
  dialogue: (key) => get(`/playground/dialogues/${key}`),
  fire: (key, at) => post(`/playground/dialogues/${key}/fire`, { at }),
  kill: () => post("/playground/kill"),
  advance: (span) => post("/playground/clock", { advance: span }),
};
