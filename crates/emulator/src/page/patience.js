// How long to wait for something that one can only look at.

const PATIENCE = 8000;
const LOOK = 80;

/** Waits until `is` holds. Whether it did in time. */
export async function until(is, patience = PATIENCE) {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    if (await is()) return true;
    await pause(LOOK);
  }
  return false;
}

/** Lets so much time go by. */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
