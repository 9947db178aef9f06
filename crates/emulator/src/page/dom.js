// Elements from a tag, its properties and its children. Foreign text only ever becomes text nodes.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. Of `props`, `on` holds listeners, `data` the data attributes, `style` single style properties; a function is
 * never an attribute, `false`, `null` and `undefined` leave one out.
 */
export function h(tag, props = {}, ...children) {
  return furnish(document.createElement(tag), props, children);
}

/** An element of SVG. */
export function svg(tag, props = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), props, children);
}

/** The element of the page's skeleton with this id. */
export const byId = (id) => document.getElementById(id);

/** Puts `children` in the place of what the element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isShown));
  return element;
}

function furnish(element, { on = {}, data = {}, style = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (isShown(value)) element.setAttribute(name, value === true ? "" : value);
  }
  for (const [name, value] of Object.entries(data)) if (isShown(value)) element.dataset[name] = value;
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  return fill(element, children);
}

const isShown = (value) => value !== null && value !== undefined && value !== false;
