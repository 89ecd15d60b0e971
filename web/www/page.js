// The page: what is to be solved, the worker that solves it, and what it tells.

import { Map } from "./map.js";

const element = (id) => document.getElementById(id);
const map = new Map(element("map"));

// What is to be solved: a file's bytes, or the text in its field.
let opened = null;
// The points that were clicked, which are the text then.
let points = [];
let worker = null;
let problem = null;
let running = false;

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

// ---- What is solved

function asked() {
  const [device, seed] = [element("device").value, Number(element("seed").value)];
  return {
    metric: element("metric").value,
    open: element("open").value === "open",
    device,
    seconds: Number(element("seconds").value),
    iterations: null,
    // What `auto` stands for goes on on the CPU when the GPU fails; a GPU that was asked for does not.
    settings: { algorithm: element("algorithm").value, seed, on_device_lost: device === "auto" ? "cpu" : "stop" },
  };
}

function input() {
  if (opened) return opened;
  return { name: "points", content: new TextEncoder().encode(element("text").value).buffer };
}

const isEmpty = () => !opened && element("text").value.trim() === "";

function showError(message) {
  element("error").textContent = message ?? "";
  element("error").hidden = !message;
}

function say(text) {
  element("status").textContent = text;
}

function setRunning(now) {
  running = now;
  element("solve").disabled = now;
  element("stop").disabled = !now;
  document.body.dataset.state = now ? "running" : "idle";
  // Readings follow each other too quickly to be read aloud; the last one is.
  element("status").setAttribute("aria-live", now ? "off" : "polite");
}

// A worker of its own for each problem: what the one before held is free then.
function start(type, about) {
  worker?.terminate();
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => (worker ? answers[data.type](data) : null);
  worker.onerror = (event) => answers.error({ message: event.message || "the worker could not be started" });
  const { name, content } = input();
  worker.postMessage({ type, name, content, asked: about });
}

const number = (value) => value.toLocaleString(undefined, { maximumFractionDigits: value < 1000 ? 3 : 0 });

function told({ length, iterations, seconds, device, backend, device_lost: lost }) {
  const where = backend === "cpu" ? "on the CPU" : `on the GPU (${device || "WebGPU"})`;
  const failed = lost ? `; the GPU failed: ${lost.message}` : "";
  return `Length ${number(length)} after ${seconds.toFixed(1)} s and ${number(iterations)} iterations, ${where}${failed}.`;
}

const answers = {
  loaded(data) {
    problem = data.problem;
    // Points keep the frame that they were clicked in.
    map.places(problem.layout ?? [], points.length > 0 && !opened);
    const what = `${number(problem.size)} ${problem.parts}`;
    say(`${problem.name}: ${what}${problem.layout ? "" : ", without places to draw"}.`);
    element("map").setAttribute("aria-label", `A map of ${what}`);
  },
  progress({ reading, tour }) {
    if (problem.layout) map.tour(tour, problem.open);
    say(told(reading));
    document.body.dataset.reading = JSON.stringify(reading);
    element("download").disabled = false;
  },
  ended(data) {
    setRunning(false);
    answers.progress(data);
    element("map").setAttribute("aria-label", `A tour through ${number(problem.size)} ${problem.parts}. ${told(data.reading)}`);
  },
  failed(data) {
    if (data.reading) answers.progress(data);
  },
  file({ kind, content }) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content]));
    link.download = `${problem.name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  },
  error({ message }) {
    showError(message);
    setRunning(false);
  },
};

function look() {
  showError(null);
  element("download").disabled = true;
  delete document.body.dataset.reading;
  if (isEmpty()) {
    worker?.terminate();
    worker = null;
    map.places([]);
    element("map").setAttribute("aria-label", "No places yet");
    say("Give it some places.");
  } else {
    start("load", asked());
  }
}

function solve() {
  if (isEmpty()) return showError("There are no places yet: open a file, click on the map, or write points.");
  if (!(element("seconds").value > 0)) return showError("Seconds: a number above 0 is needed.");
  showError(null);
  element("download").disabled = true;
  say("Setting up…");
  setRunning(true);
  start("solve", asked());
}

// ---- What the person does

function setPoints(next) {
  [points, opened] = [next, null];
  element("open-file").value = "";
  element("text").value = next.length ? `x,y\n${next.map(([x, y]) => `${x},${y}`).join("\n")}\n` : "";
}

async function openFile(file) {
  if (!file || running) return;
  [opened, points] = [{ name: file.name, content: await file.arrayBuffer() }, []];
  element("text").value = "";
  look();
}

element("open-file").addEventListener("change", (event) => openFile(event.target.files[0]));
element("text").addEventListener("change", () => {
  [opened, points] = [null, []];
  element("open-file").value = "";
  look();
});
element("example").addEventListener("click", () => {
  if (running) return;
  setPoints(Array.from({ length: 200 }, () => [0, 0].map(() => Math.round(Math.random() * 10000) / 10)));
  look();
});
element("clear").addEventListener("click", () => {
  if (running) return;
  setPoints([]);
  look();
});
element("map").addEventListener("click", (event) => {
  // Clicks add to points that were clicked, not to what a file or a person's text has.
  if (running || opened || (points.length === 0 && !isEmpty())) return;
  setPoints([...points, map.at(event).map((value) => Math.round(value * 10) / 10)]);
  map.places(points, true);
  say(`${points.length} ${points.length === 1 ? "place" : "places"}.`);
});
for (const name of ["metric", "open"]) element(name).addEventListener("change", () => !running && !isEmpty() && look());
element("solve").addEventListener("click", solve);
element("stop").addEventListener("click", () => worker?.postMessage({ type: "stop" }));
element("download").addEventListener("click", () => worker?.postMessage({ type: "file", kind: element("kind").value }));

document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  openFile(event.dataTransfer.files[0]);
});
