// The page: what is to be solved, the worker that solves it, and what it tells.

import { CLICKS, Map } from "./map.js";

const element = (id) => document.getElementById(id);
const map = new Map(element("map"));

// What is to be solved: a file's bytes, or the text in its field.
let opened = null;
// The points that were clicked, which are the text then.
let points = [];
let worker = null;
// What the worker has loaded, and whether it has a solution of it.
let problem = null;
let solved = false;
let running = false;
// How often something was put in the place of what is to be solved: a file that is read meanwhile comes too late.
let changes = 0;

// ---- Where it runs

async function lookForGpu() {
  if (!("gpu" in navigator)) return "This browser has no WebGPU.";
  if (!("Suspending" in WebAssembly)) return "This browser cannot suspend WebAssembly (JSPI), which waiting for the GPU takes.";
  const adapter = await navigator.gpu.requestAdapter().catch(() => null);
  return adapter ? null : "This browser offers no GPU.";
}

lookForGpu().then((missing) => {
  document.body.dataset.gpu = missing ? "missing" : "present";
  if (!missing) return;
  element("device-note").textContent = `${missing} Myrmex computes on the CPU instead: the same tours, but slower.`;
  element("device-note").hidden = false;
  element("device").value = "cpu";
  for (const option of element("device").options) option.disabled = option.value !== "cpu";
});

// ---- What is asked for

// The number in a field, in a range; `null` where it may be empty and is.
function field(id, name, { least, most, whole = true, empty = false }) {
  const text = element(id).value.trim();
  if (empty && text === "" && !element(id).validity.badInput) return null;
  const value = Number(text);
  const right = text !== "" && value >= least && value <= most && (!whole || Number.isSafeInteger(value));
  if (!right) throw new RangeError(`${name}: ${whole ? "a whole number" : "a number"} from ${least} to ${most} is needed.`);
  return value;
}

function asked() {
  const device = element("device").value;
  const seed = field("seed", "Seed", { least: 0, most: Number.MAX_SAFE_INTEGER });
  return {
    metric: element("metric").value,
    open: element("open").value === "open",
    device,
    iterations: field("iterations", "Iterations", { least: 1, most: 4294967295, empty: true }),
    // What `auto` stands for goes on on the CPU when the GPU fails; a GPU that was asked for does not.
    settings: { algorithm: element("algorithm").value, seed, on_device_lost: device === "auto" ? "cpu" : "stop" },
  };
}

const seconds = () => field("seconds", "Seconds", { least: 0.1, most: 86400, whole: false });

function input() {
  if (opened) return opened;
  return { name: "points", content: new TextEncoder().encode(element("text").value).buffer };
}

const isEmpty = () => !opened && element("text").value.trim() === "";

// ---- What is told

function showError(message) {
  element("error").textContent = message ?? "";
  element("error").hidden = !message;
}

function say(text) {
  element("status").textContent = text;
}

function label(text) {
  element("map").setAttribute("aria-label", text);
}

const number = (value) => {
  const digits = Math.abs(value) < 1 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: Math.abs(value) < 1000 ? 3 : 0 };
  return value.toLocaleString(undefined, digits);
};
const counted = (count, parts) => `${number(count)} ${count === 1 ? { cities: "city", facilities: "facility" }[parts] : parts}`;

function told({ length, iterations, seconds, device, backend, device_lost: lost }) {
  const what = problem.kind === "qap" ? "Cost" : "Length";
  const unit = problem.unit ? ` ${problem.unit}` : "";
  const noGpu = element("device").value === "auto" && document.body.dataset.gpu === "present" ? ", since there is none but software" : "";
  const where = backend === "cpu" ? `on the CPU${noGpu}` : `on the GPU (${device || "WebGPU"})`;
  const failed = lost ? `; the GPU failed: ${lost.message}` : "";
  return `${what} ${number(length)}${unit} after ${seconds.toFixed(1)} s and ${number(iterations)} iterations, ${where}${failed}.`;
}

// Why a run ended, where that says more than the seconds.
function why({ ended }, stopped) {
  if (ended === "optimal" || ended === "trivial") return " None is better.";
  return stopped ? " Stopped." : "";
}

const loaded = () => `${problem.name}: ${counted(problem.size, problem.parts)}, ${problem.measured}${problem.kind === "qap" || problem.layout ? "" : ", without places to draw"}.`;

function setSolved(now) {
  solved = now;
  element("download").disabled = !now;
  if (!now) element("more").disabled = true;
}

function setRunning(now) {
  const [focused, buttons] = [document.activeElement, ["solve", "more"].map(element)];
  running = now;
  for (const id of ["places", "options"]) element(id).disabled = now;
  element("solve").disabled = now;
  element("stop").disabled = !now;
  element("more").disabled = true;
  // Whoever has pressed a button goes on with the one that takes its place.
  const lost = buttons.includes(focused) || ["places", "options"].some((id) => element(id).contains(focused));
  if (now && lost) element("stop").focus();
  if (!now && focused === element("stop")) element("solve").focus();
  document.body.dataset.state = now ? "running" : "idle";
  // Readings follow each other too quickly to be read aloud; the last one is.
  element("status").setAttribute("aria-live", now ? "off" : "polite");
}

// ---- The worker

// A worker of its own for each problem: what the one before held is free then.
function start(type, about, limit) {
  worker?.terminate();
  cancelAnimationFrame(frame);
  const own = new Worker("worker.js", { type: "module" });
  worker = own;
  // What one says that was left for another counts no more.
  own.onmessage = ({ data }) => (worker === own ? answers[data.type](data) : null);
  own.onerror = (event) => (worker === own ? answers.error({ of: type, message: event.message || "the worker could not be started" }) : null);
  const { name, content } = input();
  own.postMessage({ type, name, content, asked: about, seconds: limit });
}

const answers = {
  loaded(data) {
    problem = data.problem;
    // Points that were clicked keep their places and frame.
    if (points.length > 0 && !opened) map.places(points, CLICKS);
    else map.places(problem.layout ?? []);
    for (const option of element("kind").options) {
      option.disabled = option.hidden = !problem.forms.includes(option.value);
    }
    if (!problem.forms.includes(element("kind").value)) element("kind").value = problem.forms[0];
    for (const option of element("algorithm").options) {
      option.disabled = option.hidden = (option.dataset.kind ?? problem.kind) !== problem.kind;
    }
    // What is for the other kind of problem is not asked for.
    if (element("algorithm").selectedOptions[0]?.disabled) element("algorithm").value = "auto";
    element("open").disabled = problem.kind === "qap";
    say(running ? `${loaded()} Setting up…` : loaded());
    label(`A map of ${counted(problem.size, problem.parts)}`);
  },
  progress({ reading, tour }) {
    if (tour) later(tour);
    say(told(reading));
    document.body.dataset.reading = JSON.stringify(reading);
    setSolved(true);
  },
  ended(data) {
    setRunning(false);
    if (!data.reading) return say(STOPPED_EARLY());
    answers.progress({ reading: data.reading });
    draw(data.tour);
    const words = told(data.reading) + why(data.reading, data.stopped);
    say(words);
    const what = problem.kind === "qap" ? "An assignment of" : "A tour through";
    label(`${what} ${counted(problem.size, problem.parts)}. ${words}`);
    element("more").disabled = !["time", "cancelled"].includes(data.reading.ended);
  },
  failed({ reading, tour }) {
    if (!reading) return;
    answers.progress({ reading });
    draw(tour);
  },
  file({ kind, content }) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content]));
    // A table of cities that was opened is not to be overwritten by the table of their tour.
    link.download = kind === "csv" ? `${problem.name}-solution.csv` : `${problem.name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  },
  error({ of, message }) {
    showError(message);
    if (of === "file") return;
    if (running) setRunning(false);
    if (solved) return;
    // What cannot be loaded leaves nothing of what was there before.
    if (of === "load" || !problem) unload();
    say(problem ? loaded() : "Nothing is loaded.");
  },
};

const STOPPED_EARLY = () => `${loaded()} Stopped before there was a solution.`;

// The tour that is to be drawn with the next frame, which a page that nobody sees has none of.
let frame = null;

// Draws a tour that the worker has told of, in place of one that waits, and asks for the next one.
function draw(tour) {
  cancelAnimationFrame(frame);
  if (problem.layout) map.tour(tour, problem.open);
  worker.postMessage({ type: "drawn" });
}

function later(tour) {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => draw(tour));
}

// Before a first solution a worker may be in the set-up, where it takes no message: it is ended, and what it has read stays on the page.
function stop() {
  if (solved) {
    worker.postMessage({ type: "stop" });
    return say("Stopping…");
  }
  worker.terminate();
  worker = null;
  setRunning(false);
  say(problem ? STOPPED_EARLY() : "Stopped.");
}

function unload() {
  cancelAnimationFrame(frame);
  problem = null;
  element("open").disabled = false;
  setSolved(false);
  delete document.body.dataset.reading;
  if (points.length === 0 || opened) map.places([]);
  label("No places yet");
}

// Loads what there is, so that it is seen.
function look() {
  showError(null);
  unload();
  keep();
  worker?.terminate();
  worker = null;
  if (isEmpty()) return say("Give it some places.");
  try {
    start("load", asked());
  } catch (error) {
    say("Nothing is loaded.");
    showError(error.message);
  }
}

function solve() {
  if (isEmpty()) return showError("There are no places yet: open a file, click on the map, or write points.");
  let about, limit;
  try {
    [about, limit] = [asked(), seconds()];
  } catch (error) {
    return showError(error.message);
  }
  showError(null);
  keep();
  setSolved(false);
  say("Setting up…");
  setRunning(true);
  start("solve", about, limit);
}

function goOn() {
  try {
    const limit = seconds();
    showError(null);
    setRunning(true);
    worker.postMessage({ type: "more", seconds: limit });
  } catch (error) {
    showError(error.message);
  }
}

// ---- What the person does

const OPTIONS = ["seconds", "iterations", "algorithm", "open", "metric", "device", "seed"];

// Text and options outlast a page that is loaded again.
function keep() {
  const known = { text: element("text").value, points, options: OPTIONS.map((id) => element(id).value) };
  try {
    sessionStorage.setItem("myrmex", JSON.stringify(known));
  } catch {
    // It is too long, or the browser keeps nothing.
  }
}

function restore() {
  try {
    const known = JSON.parse(sessionStorage.getItem("myrmex"));
    if (!known) return;
    OPTIONS.forEach((id, at) => (element(id).value = known.options[at]));
    [points, element("text").value] = [known.points, known.text];
    if (!isEmpty()) look();
  } catch {
    // What was kept is of another version of the page.
  }
}

function setPoints(next) {
  changes += 1;
  [points, opened] = [next, null];
  element("open-file").value = "";
  element("text").value = next.length ? `x,y\n${next.map(([x, y]) => `${x},${y}`).join("\n")}\n` : "";
}

async function openFile(files) {
  const [file] = files;
  if (!file) return;
  if (running) return showError("A run is under way: stop it first, then open another file.");
  changes += 1;
  const own = changes;
  const content = await file.arrayBuffer().catch(() => null);
  if (changes !== own) return;
  if (running) return showError("A run has begun meanwhile: stop it first, then open another file.");
  if (!content) return showError(`${file.name} cannot be read: is it a folder, or larger than this browser takes?`);
  [opened, points] = [{ name: file.name, content }, []];
  element("text").value = "";
  // Of a file that was dropped the field knows nothing.
  if (element("open-file").files[0] !== file) element("open-file").value = "";
  look();
  if (files.length > 1) showError(`One file at a time: this is ${file.name}.`);
}

element("open-file").addEventListener("change", (event) => openFile(event.target.files));
element("text").addEventListener("change", () => {
  if (running) return;
  changes += 1;
  [opened, points] = [null, []];
  element("open-file").value = "";
  look();
});
element("example").addEventListener("click", () => {
  setPoints(Array.from({ length: 200 }, () => [0, 0].map(() => Math.round(Math.random() * 10000) / 10)));
  look();
});
element("clear").addEventListener("click", () => {
  setPoints([]);
  look();
});
element("map").addEventListener("click", (event) => {
  if (running) return;
  if (opened || (points.length === 0 && !isEmpty())) {
    return showError("Clicks add to points that were clicked: press Clear to begin with none.");
  }
  setPoints([...points, map.at(event).map((value) => Math.round(value * 10) / 10)]);
  showError(null);
  unload();
  keep();
  map.places(points, CLICKS);
  const words = `${points.length} ${points.length === 1 ? "place" : "places"}.`;
  label(`A map of ${words}`);
  say(words);
});
for (const name of ["metric", "open"]) {
  element(name).addEventListener("change", () => {
    keep();
    if (isEmpty()) return;
    // A solution that is there stays until another one is asked for.
    if (solved) say("Solve takes what was chosen.");
    else look();
  });
}
element("solve").addEventListener("click", solve);
element("more").addEventListener("click", goOn);
element("stop").addEventListener("click", stop);
element("download").addEventListener("click", () => worker?.postMessage({ type: "file", kind: element("kind").value }));
for (const id of OPTIONS) {
  element(id).addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.tagName === "INPUT") solve();
  });
}
// A run that goes on would be lost.
window.addEventListener("beforeunload", (event) => running && event.preventDefault());

document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  document.body.classList.remove("dropping");
  openFile(event.dataTransfer.files);
});

restore();
