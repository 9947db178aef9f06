// Keeps a list of elements in step with a list of things, so that what did not change keeps its place, focus and state.

const stamps = new WeakMap();

/**
 * Makes `parent` hold one element per item, in order. `key` names an item, `stamp` says what it looks like: an element is made
 * anew only when its stamp changed.
 */
export function keep(parent, items, { key, stamp, make }) {
  const old = new Map([...parent.children].map((element) => [element.dataset.key, element]));
  const next = items.map((item) => reuse(old.get(String(key(item))), item, { key, stamp, make }));
  const staying = new Set(next);
  for (const element of old.values()) if (!staying.has(element)) replace(element, next);
  next.forEach((element, at) => {
    if (parent.children[at] !== element) parent.insertBefore(element, parent.children[at] ?? null);
  });
}

function reuse(element, item, { key, stamp, make }) {
  const look = stamp(item);
  if (element && stamps.get(element) === look) return element;
  const made = make(item, element);
  made.dataset.key = String(key(item));
  stamps.set(made, look);
  return made;
}

/** Takes an element away; the focus inside it moves to the same place of its successor. */
function replace(element, next) {
  const at = focusables(element).indexOf(document.activeElement);
  const heir = next.find((other) => other.dataset.key === element.dataset.key);
  if (at < 0 || !heir) return element.remove();
  element.replaceWith(heir);
  focusables(heir)[at]?.focus({ preventScroll: true });
}

const focusables = (element) => [element, ...element.querySelectorAll("button, a, input, select, summary, [tabindex]")];
