// A worker has one problem: it loads it, solves it, goes on with it, and answers for files of the solution.

import init, { failure, file, load, reading, solution } from "./pkg/myrmex_web.js";
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
  const tour = drawn || type !== "progress" ? solution() : null;
  if (tour) drawn = false;
  postMessage({ type, reading: known, tour, stopped }, tour ? [tour.buffer] : []);
}

function hand(kind) {
  try {
    postMessage({ type: "file", kind, content: file(kind) });
  } catch (error) {
    postMessage({ type: "error", of: "file", message: words(error) });
  }
}

// Turns of the run for so many seconds, set-up included where it begins.
async function run(exports, seconds, begins) {
  const [begin, turn] = [promising(exports.begin), promising(exports.turn)];
  const [began, before] = [performance.now(), spent];
  const left = () => (seconds === null ? Infinity : 1000 * seconds - (performance.now() - began));
  stopped = false;
  if (begins && (await begin()) === 0) throw new Error(failure());
  let state;
  do {
    state = await turn(Math.max(0, Math.min(TURN, left())));
    spent = before + (performance.now() - began) / 1000;
    if (state !== 0) tell("progress");
    await breathe();
  } while (state === 1 && !stopped && left() > 0);
  tell(state === 0 ? "failed" : "ended");
  if (state === 0) throw new Error(failure());
}

// What is told of an error: of a trap, which ends a fault of the module, what the module has said before.
function words(error) {
  const fault = error instanceof WebAssembly.RuntimeError ? failure() : "";
  return fault || (error.message ?? String(error));
}

onmessage = async ({ data }) => {
  try {
    const exports = await ready;
    if (data.type === "stop") {
      stopped = true;
    } else if (data.type === "drawn") {
      drawn = true;
    } else if (data.type === "file") {
      hand(data.kind);
    } else if (data.type === "more") {
      await run(exports, data.seconds, false);
    } else {
      const problem = JSON.parse(load(new Uint8Array(data.content), data.name, JSON.stringify(data.asked)));
      postMessage({ type: "loaded", problem });
      spent = 0;
      if (data.type === "solve") await run(exports, data.seconds, true);
    }
  } catch (error) {
    postMessage({ type: "error", of: data.type, message: words(error) });
  }
};
