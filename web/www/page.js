// The page: what is to be solved, the session that solves it, and what it tells.

import { CLICKS, Map } from "./map.js";
import { Session } from "./myrmex.js";
import { OPTIONS, asked, readAs, seconds } from "./options.js";
import { label, say, showError, warn } from "./telling.js";
import { loaded, size, told } from "./words.js";

const element = (id) => document.getElementById(id);
const map = new Map(element("map"));

// What is to be solved: a file's name and bytes, or the text in its field.
let opened = null;
// The points that were clicked, which are the text then.
let points = [];
// The worker with a problem, and what it was made of: `source` and `read`.
let session = null;
let held = null;
// What the session has loaded, and the last reading and solution of it.
let problem = null;
let found = null;
let running = false;
let stopping = false;
// What waits until a worker that is to stop may be ended, and whether it may be.
let patience = null;
let mayEnd = false;
// How often something was put in the place of what is to be solved: a file that is read meanwhile comes too late.
let changes = 0;

const isEmpty = () => !opened && element("text").value.trim() === "";

function setFound(now) {
  found = now;
  element("download").disabled = !now;
  if (now) document.body.dataset.reading = JSON.stringify(now.reading);
  else {
    element("more").disabled = true;
    delete document.body.dataset.reading;
  }
}

function setRunning(now) {
  const [focused, buttons] = [document.activeElement, ["solve", "more"].map(element)];
  [running, stopping, mayEnd] = [now, false, false];
  clearTimeout(patience);
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

// ---- The session

// A session of its own for each problem and, but for the first one, each run: what the one before held is free then.
function open(source, read) {
  drop();
  held = { source, read };
  session = new Session(source.content ?? source, { name: source.name ?? "points", ...read });
  return session;
}

const isThere = () => session !== null && !session.closed;

function drop() {
  session?.close();
  session = null;
  cancelAnimationFrame(frame);
}

// Whether the session has what is to be solved, and nothing of a run.
const isHeld = (source, read) =>
  isThere() && !session.hasRun && held.source === source && held.read.metric === read.metric && held.read.open === read.open;

const source = () => opened ?? element("text").value;

// Reads what there is, and shows it.
async function read() {
  say("Reading…");
  const own = open(source(), readAs());
  try {
    const known = await own.loaded;
    if (session === own) show(known);
  } catch (error) {
    if (session !== own) return;
    // What cannot be loaded leaves nothing of what was there before.
    unload();
    setRunning(false);
    say("Nothing is loaded.");
    showError(error.message);
  }
}

function show(known) {
  problem = known;
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
  warn(problem.warnings);
  say(running ? `${loaded(problem)} Setting up…` : loaded(problem));
  label(`A map of ${size(problem)}`);
}

// The frame in which a solution is to be drawn, which a page that nobody sees has none of.
let frame = null;

function draw(solution) {
  cancelAnimationFrame(frame);
  if (problem.layout) map.tour(solution, problem.open);
}

// The promise is kept when the solution is drawn: until then no other one comes.
function progress(reading, solution) {
  if (!stopping) say(told(problem, reading));
  document.body.dataset.reading = JSON.stringify(reading);
  if (!solution) return undefined;
  setFound({ reading, solution });
  return new Promise((drawn) => {
    frame = requestAnimationFrame(() => drawn(draw(solution)));
  });
}

// Waits for a run of a session.
async function follow(own, run) {
  const ours = (work) => (...given) => (session === own ? work(...given) : undefined);
  try {
    ours(end)(await run(ours(progress)));
  } catch (error) {
    ours(fail)(error);
  }
}

function end({ reading, solution, stopped, warnings }) {
  setRunning(false);
  if (!reading) return say(STOPPED_EARLY());
  setFound({ reading, solution });
  draw(solution);
  warn([...problem.warnings, ...warnings]);
  sum(reading.best ? "None is better." : stopped ? "Stopped." : "");
  element("more").disabled = !["time", "cancelled"].includes(reading.ended);
}

// Says what was found, for the map too.
function sum(why) {
  const words = `${told(problem, found.reading)} ${why}`.trim();
  say(words);
  label(`${problem.kind === "qap" ? "An assignment of" : "A tour through"} ${size(problem)}. ${words}`);
}

function fail(error) {
  setRunning(false);
  showError(error.message);
  if (error.found) {
    setFound(error.found);
    draw(error.found.solution);
    warn([...problem.warnings, ...error.found.warnings]);
  }
  if (found) return say(told(problem, found.reading));
  if (!problem) unload();
  say(problem ? loaded(problem) : "Nothing is loaded.");
}

const STOPPED_EARLY = () => `${loaded(problem)} Stopped before there was a solution.`;

// Seconds after which a worker that is to stop may be ended.
const PATIENCE = 3;

// Stops the run after its turn. Before a first solution, or when asked again after `PATIENCE`, its worker is ended; what the page has of it stays.
function stop() {
  if (stopping && !mayEnd) return;
  if (found && !stopping) {
    session.stop();
    stopping = true;
    say("Stopping…");
    patience = setTimeout(() => {
      mayEnd = true;
      say(`Stopping… It takes longer than ${PATIENCE} seconds: press Stop again to end it at once, with the solution that is shown.`);
    }, 1000 * PATIENCE);
    return;
  }
  drop();
  setRunning(false);
  if (found) {
    draw(found.solution);
    sum("Stopped at once: this run cannot go on.");
  } else say(problem ? STOPPED_EARLY() : "Stopped.");
}

function unload() {
  drop();
  problem = null;
  element("open").disabled = false;
  setFound(null);
  warn([]);
  if (points.length === 0 || opened) map.places([]);
  label("No places yet");
}

const NOTHING = "Give it some places.";

// Loads what there is, so that it is seen.
function look() {
  showError(null);
  unload();
  keep();
  if (isEmpty()) say(NOTHING);
  else read();
}

function solve() {
  if (isEmpty()) return showError("There are no places yet: open a file, click on the map, or write points.");
  let options;
  try {
    options = asked();
  } catch (error) {
    return showError(error.message);
  }
  showError(null);
  keep();
  setFound(null);
  setRunning(true);
  // A file that is read already, or is being read, is not read again.
  if (!isHeld(source(), readAs())) read();
  else if (problem) show(problem);
  follow(session, (onProgress) => session.solve(options, onProgress));
}

function goOn() {
  try {
    const limit = seconds();
    showError(null);
    setRunning(true);
    follow(session, (onProgress) => session.goOn({ seconds: limit }, onProgress));
  } catch (error) {
    showError(error.message);
  }
}

async function download() {
  const kind = element("kind").value;
  // A run whose worker was ended has left its solution.
  const own = isThere() ? session : open(held.source, held.read);
  try {
    const content = await own.file(kind, found.solution);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content]));
    // A table of cities that was opened is not to be overwritten by the table of their tour.
    link.download = kind === "csv" ? `${problem.name}-solution.csv` : `${problem.name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    if (error.name !== "AbortError") showError(error.message);
  }
}

// ---- What the person does

// Text and options outlast a page that is loaded again.
function keep() {
  const known = { text: element("text").value, points, options: OPTIONS.map((id) => element(id).value) };
  try {
    sessionStorage.setItem("myrmex", JSON.stringify(known));
  } catch {
    // It is too long, or the browser keeps nothing. What was kept before is no longer what there is.
    forget();
  }
}

function forget() {
  try {
    sessionStorage.removeItem("myrmex");
  } catch {
    // There is none.
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
  const before = element("status").textContent;
  say(`Reading ${file.name}…`);
  const content = await file.arrayBuffer().catch(() => null);
  if (changes !== own) return;
  if (running) return showError("A run has begun meanwhile: stop it first, then open another file.");
  if (!content) say(before);
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
for (const name of OPTIONS) {
  element(name).addEventListener("change", () => {
    keep();
    if (running || isEmpty()) return;
    const isOfReading = ["metric", "open"].includes(name);
    // A solution that is there stays until another one is asked for. To go on takes the seconds alone.
    if (found && name !== "seconds") say(`Solve takes what was chosen${element("more").disabled ? "" : "; Go on takes the seconds alone"}.`);
    else if (!found && isOfReading) look();
  });
}
element("solve").addEventListener("click", solve);
element("more").addEventListener("click", goOn);
element("stop").addEventListener("click", stop);
element("download").addEventListener("click", download);
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

say(NOTHING);
restore();
