// A worker has one problem: it loads it, solves it, and then answers for files of the solution.

import init, { failure, file, load, reading, solution } from "./pkg/myrmex_web.js";
import { promising } from "./suspend.js";

// Milliseconds of a turn: between two of them messages are taken.
const TURN = 100;

const ready = init({ module_or_path: new URL("pkg/myrmex_web_bg.wasm", import.meta.url) });
let stopped = false;

// Lets the event loop take messages.
const breathe = () => new Promise((resolve) => setTimeout(resolve));

function tell(type) {
  const tour = solution();
  postMessage({ type, reading: JSON.parse(reading() || "null"), tour }, [tour.buffer]);
}

async function solve(exports) {
  const [begin, turn] = [promising(exports.begin), promising(exports.turn)];
  if ((await begin()) === 0) throw new Error(failure());
  let state = 1;
  while (state === 1 && !stopped) {
    state = await turn(TURN);
    if (state !== 0) tell("progress");
    await breathe();
  }
  tell(state === 0 ? "failed" : "ended");
  if (state === 0) throw new Error(failure());
}

onmessage = async ({ data }) => {
  try {
    const exports = await ready;
    if (data.type === "stop") {
      stopped = true;
    } else if (data.type === "file") {
      postMessage({ type: "file", kind: data.kind, content: file(data.kind) });
    } else {
      const problem = JSON.parse(load(new Uint8Array(data.content), data.name, JSON.stringify(data.asked)));
      postMessage({ type: "loaded", problem });
      if (data.type === "solve") await solve(exports);
    }
  } catch (error) {
    postMessage({ type: "error", message: error.message ?? String(error) });
  }
};
