// A worker has one problem: it loads it, solves it, goes on with it, and answers for files of the solution.

import init, { failure, file, load, reading, solution } from "./pkg/myrmex_web.js";
import { promising } from "./suspend.js";

// Milliseconds of a turn: between two of them messages are taken.
const TURN = 100;

const ready = init({ module_or_path: new URL("pkg/myrmex_web_bg.wasm", import.meta.url) });
let stopped = false;
// Whether a run is under way, the files that were asked for in a turn of it, and the seconds of all its turns.
let running = false;
let wanted = [];
let spent = 0;

// Lets the event loop take messages.
const breathe = () => new Promise((resolve) => setTimeout(resolve));

function tell(type) {
  const tour = solution();
  const known = JSON.parse(reading() || "null");
  if (known) known.seconds = spent;
  postMessage({ type, reading: known, tour, stopped }, [tour.buffer]);
}

function hand(kind) {
  try {
    postMessage({ type: "file", kind, content: file(kind) });
  } catch (error) {
    postMessage({ type: "error", of: "file", message: error.message ?? String(error) });
  }
}

// Turns of the run for so many seconds, set-up included where it begins.
async function run(exports, seconds, begins) {
  const [begin, turn] = [promising(exports.begin), promising(exports.turn)];
  const [began, before] = [performance.now(), spent];
  const left = () => (seconds === null ? Infinity : 1000 * seconds - (performance.now() - began));
  [running, stopped] = [true, false];
  try {
    if (begins && (await begin()) === 0) throw new Error(failure());
    let state;
    do {
      state = await turn(Math.max(0, Math.min(TURN, left())));
      spent = before + (performance.now() - began) / 1000;
      if (state !== 0) tell("progress");
      for (const kind of wanted.splice(0)) hand(kind);
      await breathe();
    } while (state === 1 && !stopped && left() > 0);
    tell(state === 0 ? "failed" : "ended");
    if (state === 0) throw new Error(failure());
  } finally {
    running = false;
  }
}

onmessage = async ({ data }) => {
  try {
    const exports = await ready;
    if (data.type === "stop") {
      stopped = true;
    } else if (data.type === "file") {
      // Within a turn the solution is the solver's.
      if (running) wanted.push(data.kind);
      else hand(data.kind);
    } else if (data.type === "more") {
      await run(exports, data.seconds, false);
    } else {
      const problem = JSON.parse(load(new Uint8Array(data.content), data.name, JSON.stringify(data.asked)));
      postMessage({ type: "loaded", problem });
      spent = 0;
      if (data.type === "solve") await run(exports, data.seconds, true);
    }
  } catch (error) {
    postMessage({ type: "error", of: data.type, message: error.message ?? String(error) });
  }
};
