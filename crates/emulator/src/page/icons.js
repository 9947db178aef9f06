// The icons, drawn as strokes on a field of 24 × 24.

import { svg } from "./dom.js";

const PATHS = {
  add: ["M12 5v14M5 12h14"],
  back: ["M15 5l-7 7 7 7"],
  again: ["M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5", "M20 12a8 8 0 0 1-14 5.3L4 15M4 20v-5h5"],
  attach: ["M20 11.5l-8.2 8.2a5 5 0 0 1-7.1-7.1l8.6-8.6a3.4 3.4 0 0 1 4.8 4.8l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.8-7.8"],
  check: ["M4.5 12.5l4.5 4.5L19 7"],
  checks: ["M2 12.5L6.5 17 16 7.5", "M11.5 16l1 1L22 7.5"],
  close: ["M6 6l12 12M18 6L6 18"],
  clock: ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "M12 7v5l3.5 2"],
  contact: ["M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M4 20c.6-3.6 3.9-5 8-5s7.4 1.4 8 5"],
  copy: ["M9 9h10v11H9z", "M15 9V4H5v11h4"],
  dark: ["M20 14.500A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500z"],
  light: ["M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z", "M12 2v2.500M12 19.500V22M2 12h2.500M19.5 12H22M5 5l1.8 1.800M17.2 17.200L19 19M5 19l1.8-1.800M17.2 6.800L19 5"],
  down: ["M6 9.500l6 6 6-6"],
  edit: ["M4 20l1-4L16.5 4.500l3 3L8 19z", "M14 7l3 3"],
  file: ["M6 3h8l4 4v14H6z", "M14 3v4h4"],
  fire: ["M7 5l11 7-11 7z"],
  inspect: ["M4 5h16v14H4z", "M14 5v14M17 9h0M17 12h0"],
  keyboard: ["M3 7h18v10H3z", "M7 10.500h0M11 10.500h0M15 10.500h0M18 10.500h0M8 14h8"],
  kill: ["M13 2L5 13.500h6L10 22l9-12.500h-6z"],
  menu: ["M4 7h16M4 12h16M4 17h16"],
  more: ["M12 5.500h0M12 12h0M12 18.500h0"],
  open: ["M14 4h6v6M20 4l-9 9", "M18 14v6H4V6h6"],
  photo: ["M3 7h4l2-3h6l2 3h4v13H3z", "M12 9.500a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.400z"],
  pin: ["M12 21s-7-6.5-7-11.500a7 7 0 0 1 14 0C19 14.5 12 21 12 21z", "M12 7.500a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.400z"],
  race: ["M4 8h11M11 4l4 4-4 4", "M20 16H9M13 12l-4 4 4 4"],
  reply: ["M10 6l-6 5.5 6 5.500v-3.500c5 0 8 1 10 4.5-.5-6-4-9-10-9z"],
  send: ["M4 12l-1-8 19 8-19 8z", "M4 12h9"],
  sticker: ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "M8.5 14c1.5 2.5 5.5 2.5 7 0M9 9.500h0M15 9.500h0"],
  stop: ["M8 3h8l5 5v8l-5 5H8l-5-5V8z", "M12 7.500v5.500M12 16.500h0"],
  twice: ["M8 8h12v12H8z", "M16 8V4H4v12h4"],
  voice: ["M12 3a3 3 0 0 1 3 3v6a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3z", "M5 11.500a7 7 0 0 0 14 0M12 18.500V22"],
  group: ["M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z", "M2.5 19c.5-3.5 3-5 6.5-5s6 1.5 6.5 5", "M16 4.500a3.3 3.3 0 0 1 0 6.200M18 14.300c2 .7 3.2 2.2 3.5 4.7"],
};

/** An icon. It says nothing by itself: its control has the name. */
export function icon(name) {
  const strokes = PATHS[name].map((d) => svg("path", { d }));
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, strokes);
}
