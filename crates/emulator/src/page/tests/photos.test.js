import assert from "node:assert/strict";
import { test } from "node:test";
import { album, noPictures, shrink } from "../photos.js";

const pictures = (count) => Array.from({ length: count }, (_, at) => ({ at }));

test("an album holds ten pictures, and it is said how many had no room", () => {
  assert.deepEqual(album(pictures(10)), { kept: pictures(10), words: null });
  assert.deepEqual(album(pictures(11)), { kept: pictures(10), words: "An album has at most 10 pictures: one was left out" });
  assert.equal(album(pictures(13)).words, "An album has at most 10 pictures: 3 were left out");
});

test("it is said which files are no pictures", () => {
  assert.equal(noPictures([]), null);
  assert.equal(noPictures([{ name: "plan.pdf" }]), "“plan.pdf” is no picture that can be sent");
  assert.equal(noPictures([{ name: "a.pdf" }, { name: "b.pdf" }]), "2 files are no pictures that can be sent");
});

test("what cannot be drawn is no picture, whatever its name says", async () => {
  globalThis.createImageBitmap = async () => {
    throw new Error("The source image could not be decoded.");
  };
  assert.equal(await shrink({ name: "empty.png", type: "image/png" }), null);
});
