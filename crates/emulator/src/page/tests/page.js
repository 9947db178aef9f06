// As much of a document as the modules need where nobody looks: elements that keep what they are given.

class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], dataset: {}, attributes: {}, listeners: {}, style: { setProperty() {} }, value: "", hidden: false });
    this.classList = { toggle: () => false, add() {}, remove() {} };
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }
  replaceChildren(...children) {
    this.children = children.map((child) => adopted(this, child));
  }
  append(...children) {
    this.children.push(...children.map((child) => adopted(this, child)));
  }
  insertBefore(child, next) {
    this.children = this.children.filter((one) => one !== child);
    this.children.splice(next ? this.children.indexOf(next) : this.children.length, 0, adopted(this, child));
  }
  remove() {
    this.parent.children = this.parent.children.filter((one) => one !== this);
  }
  scrollIntoView() {
    this.isScrolledTo = true;
  }
  get textContent() {
    return this.children.map((child) => child.textContent).join("");
  }
  get all() {
    return [this, ...this.children.flatMap((child) => child.all ?? [])];
  }
  querySelectorAll() {
    return [];
  }
  querySelector(tag) {
    return this.all.find((one) => one.tag === tag) ?? null;
  }
}

function adopted(parent, child) {
  if (!(child instanceof Element)) return { textContent: String(child) };
  child.parent = parent;
  return child;
}

const skeleton = new Map();

/** The element of the skeleton with this id. */
export function byId(id) {
  if (!skeleton.has(id)) skeleton.set(id, new Element(id));
  return skeleton.get(id);
}

/** The elements inside `root` with this test id. */
export const held = (root, testid) => root.all.filter((one) => one.dataset.testid === testid);

/** Changes are gathered for a moment. */
export const settled = () => new Promise((done) => setTimeout(done, 40));

globalThis.document = {
  hidden: false,
  body: new Element("body"),
  activeElement: null,
  getElementById: byId,
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
  addEventListener() {},
};
