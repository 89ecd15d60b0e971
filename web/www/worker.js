// A worker has one problem: it loads it, solves it, goes on with it, and answers for files of its solutions. myrmex.js talks to it.

import init, { ask, failure, file, load, reading, solution, warnings } from "./pkg/myrmex_web.js";
import { promising } from "./suspend.js";

// Milliseconds of a turn: between two of them messages are taken.
const TURN = 100;

const ready = init({ module_or_path: new URL("pkg/myrmex_web_bg.wasm", import.meta.url) });
let stopped = false;
// The seconds of all turns of a run.
let spent = 0;
// Whether the page has drawn the tour that it was told of: it gets none before, which would wait there.
let drawn = true;

// Lets the event loop take messages.
const breathe = () => new Promise((resolve) => setTimeout(resolve));

function tell(type) {
  const known = JSON.parse(reading() || "null");
  if (known) known.seconds = spent;
  const last = type !== "progress";
  const found = drawn || last ? solution() : null;
  if (found) drawn = false;
  postMessage({ type, reading: known, solution: found, stopped, warnings: last ? JSON.parse(warnings()) : [] }, found ? [found.buffer] : []);
}

function hand(kind, solution) {
  try {
    postMessage({ type: "file", content: file(kind, solution) });
  } catch (error) {
    postMessage({ type: "error", of: "file", message: words(error) });
  }
}

// Turns of the run for so many seconds, set-up included where it begins.
async function run(exports, seconds, begins) {
  const [begin, turn] = [promising(exports.begin), promising(exports.turn)];
  const [began, before] = [performance.now(), spent];
  const left = () => (seconds === null ? Infinity : 1000 * seconds - (performance.now() - began));
  [stopped, drawn] = [false, true];
  if (begins && (await begin()) === 0) throw new Error(failure());
  let state;
  do {
    state = await turn(Math.max(0, Math.min(TURN, left())));
    spent = before + (performance.now() - began) / 1000;
    if (state !== 0) tell("progress");
    await breathe();
  } while (state === 1 && !stopped && left() > 0);
  const why = state === 0 ? failure() : null;
  tell(state === 0 ? "failed" : "ended");
  if (why !== null) throw new Error(why);
}

const OUT_OF_MEMORY =
  "Out of memory: the problem and what solving it takes are more than the browser gives a page (4 GiB at most). Take a smaller file, or the myrmex program.";

// What is told of an error: of a trap, which ends a fault of the module, what the module has said before. A trap without a word of that is memory
// that could not be had.
function words(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return error.message ?? String(error);
  const fault = failure();
  if (fault) return fault;
  return /unreachable/i.test(error.message) ? OUT_OF_MEMORY : `A fault of Myrmex itself: ${error.message}.`;
}

onmessage = async ({ data }) => {
  let exports;
  try {
    exports = await ready;
  } catch (error) {
    return postMessage({ type: "error", of: "start", message: words(error) });
  }
  try {
    if (data.type === "stop") {
      stopped = true;
    } else if (data.type === "drawn") {
      drawn = true;
    } else if (data.type === "file") {
      hand(data.kind, data.solution);
    } else if (data.type === "more") {
      await run(exports, data.seconds, false);
    } else if (data.type === "load") {
      const bytes = data.content instanceof Uint8Array ? data.content : new Uint8Array(data.content);
      postMessage({ type: "loaded", problem: JSON.parse(load(bytes, data.name, JSON.stringify(data.read))) });
    } else {
      ask(JSON.stringify(data.asked));
      spent = 0;
      await run(exports, data.seconds, true);
    }
  } catch (error) {
    postMessage({ type: "error", of: data.type, message: words(error) });
  }
};
