import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("../style.css", import.meta.url), "utf8");

/** A colour of the page by day (0) or by night (1), as red, green, blue and how much it covers. */
function colour(name, theme) {
  const found = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css);
  return parse(name.startsWith("#") ? name : found[1 + theme]);
}

function parse(code) {
  const digits = code.length < 6 ? [...code.slice(1)].map((digit) => digit + digit).join("") : code.slice(1);
  const [r, g, b, a = 255] = digits.match(/../g).map((pair) => Number.parseInt(pair, 16));
  return { rgb: [r, g, b], cover: a / 255 };
}

const over = (top, bottom) => ({ rgb: top.rgb.map((part, at) => part * top.cover + bottom.rgb[at] * (1 - top.cover)), cover: 1 });

function light({ rgb }) {
  const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** What is written on what; on a wall that shines through where it is not opaque. */
const PAIRS = [
  ["#ffffff", "veil", "wall-a"],
  ["#ffffff", "veil", "wall-b"],
  ["out-quiet", "out"],
  ["out-text", "out"],
  ["quiet", "in"],
  ["quiet", "surface"],
  ["quiet", "hover"],
  ["accent", "surface"],
  ["accent", "soft"],
  ["good", "good-soft"],
  ["bad", "bad-soft"],
  ["note", "note-soft"],
];

for (const [theme, name] of ["day", "night"].entries()) {
  for (const [ink, paper, wall = paper] of PAIRS) {
    test(`by ${name} ${ink} can be read on ${paper}${wall === paper ? "" : ` before ${wall}`}`, () => {
      const found = contrast(colour(ink, theme), over(colour(paper, theme), colour(wall, theme)));
      assert.ok(found >= 4.5, `${found.toFixed(2)} to 1`);
    });
  }
}
