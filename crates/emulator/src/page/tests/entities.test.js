import assert from "node:assert/strict";
import { test } from "node:test";
import { address, tree, trim } from "../entities.js";

const entity = (type, offset, length, more = {}) => ({ type, offset, length, ...more });

/** The tree as a short text: `<bold>…</>`. */
const drawn = (parts) => parts.map((part) => (typeof part === "string" ? part : `<${part.entity.type}>${drawn(part.children)}</>`)).join("");

test("text without entities is itself", () => {
  assert.deepEqual(tree("plain"), ["plain"]);
  assert.deepEqual(tree(""), []);
});

test("entities stand where they are", () => {
  assert.equal(drawn(tree("a bold word", [entity("bold", 2, 4)])), "a <bold>bold</> word");
});

test("an entity inside another is nested, whichever comes first", () => {
  const both = [entity("italic", 2, 4), entity("bold", 0, 8)];
  assert.equal(drawn(tree("a bold x", both)), "<bold>a <italic>bold</> x</>");
});

test("of two entities over the same words, both hold", () => {
  assert.equal(drawn(tree("ab", [entity("bold", 0, 2), entity("code", 0, 2)])), "<bold><code>ab</></>");
});

test("offsets count UTF-16 units, so an emoji counts twice", () => {
  assert.equal(drawn(tree("😀 bold", [entity("bold", 3, 4)])), "😀 <bold>bold</>");
});

test("entities that overlap lose no text and repeat none", () => {
  const text = "abcdef";
  const parts = tree(text, [entity("bold", 0, 4), entity("italic", 2, 4)]);
  assert.equal(drawn(parts).replaceAll(/<[^>]*>/g, ""), text);
});

test("an entity beyond the end is cut", () => {
  assert.equal(drawn(tree("ab", [entity("bold", 1, 9)])), "a<bold>b</>");
  assert.equal(drawn(tree("ab", [entity("bold", 5, 2)])), "ab");
});

test("only addresses that are safe to open are links", () => {
  assert.equal(address(entity("text_link", 0, 1, { url: "javascript:alert(1)" }), "x"), null);
  assert.equal(address(entity("text_link", 0, 1, { url: "https://a.example/" }), "x"), "https://a.example/");
  assert.equal(address(entity("url", 0, 1), "a.example"), "https://a.example");
  assert.equal(address(entity("url", 0, 1), "javascript:alert(1)"), null);
  assert.equal(address(entity("phone_number", 0, 1), "+31 6 12"), "tel:+31612");
  assert.equal(address(entity("bold", 0, 1), "x"), null);
});

test("a block is not followed by an empty line", () => {
  const parts = tree("x\ny\nz", [entity("pre", 2, 1)]);
  assert.equal(drawn(trim(parts)), "x\n<pre>y</>z");
});
