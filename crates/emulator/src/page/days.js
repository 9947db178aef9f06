// Lists with the newest first, parted by days: after a move of the clock a time alone says little.

import { h } from "./dom.js";
import { day } from "./format.js";
import { keep } from "./keyed.js";
import { now } from "./store.js";

/** Keeps `parent` in step with `items`, which have a time `at`, as `keep` does, with a row before the first of each day. */
export function keepByDay(parent, items, { key, stamp, make }) {
  keep(parent, parted(items, now()), {
    key: (row) => (row.day ? `day ${row.day}` : key(row.item)),
    stamp: (row) => (row.day ? row.day : stamp(row.item)),
    make: (row, old) => (row.day ? h("li", { class: "day-row quiet", data: { testid: "day" } }, row.day) : make(row.item, old)),
  });
}

/** The rows `{ item }`, newest first, and `{ day }` before the newest of each day. That the newest are of today goes without saying. */
export function parted(items, now) {
  let last = "Today";
  return items.flatMap((item) => {
    const words = day(item.at, now);
    const isNext = words !== last;
    last = words;
    return isNext ? [{ day: words }, { item }] : [{ item }];
  });
}
