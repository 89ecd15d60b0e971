// The page in a headless Chromium: what it solves is what the program solves, on the CPU and on WebGPU (in software), and what is missing is
// told. `node browser.mjs [SHADERS]`; the file has every shader that plans can ask for (`MYRMEX_BROWSER_SHADERS`, tests/shaders.rs).
// `MYRMEX_BROWSER_GPU=hardware` takes the machine's GPU through Vulkan instead, and more of the recorded runs; `CHROMIUM` another browser.

import assert from "node:assert/strict";
import { readFileSync, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page_folder = join(root, "web/www");
const CHROMIUM = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const FLAGS = [
  "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const hardware = process.env.MYRMEX_BROWSER_GPU === "hardware";
// What a machine without a screen takes: pictures are put together by the CPU.
const THROUGH_VULKAN = [
  "--use-angle=vulkan", "--enable-features=Vulkan", "--disable-vulkan-surface", "--disable-gpu-compositing", "--disable-gpu-rasterization",
];
const WEBGPU = ["--enable-unsafe-webgpu", ...(hardware ? THROUGH_VULKAN : [])];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

// What is served in a file's place, for checks of what goes wrong; `null` for nothing.
const as_it_is = (path, content) => content;
let served = as_it_is;
// How often each file was asked for.
const requests = {};

const server = createServer(({ url }, response) => {
  const path = new URL(url, "http://localhost").pathname;
  const file = join(page_folder, path.endsWith("/") ? `${path}index.html` : path);
  requests[path] = (requests[path] ?? 0) + 1;
  const content = existsSync(file) ? served(path, readFileSync(file)) : null;
  if (content === null) return response.writeHead(404).end();
  // Workers are ended while they load: none is to wait for what another one has left half written in the browser's cache.
  const about = { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cache-control": "no-store" };
  response.writeHead(200, about).end(content);
});
await new Promise((listening) => server.listen(0, listening));
const address = `http://localhost:${server.address().port}/`;

// Serves a file with other words in some places.
function serving(path, changes) {
  served = (asked, content) => {
    if (asked !== path) return content;
    return changes.reduce((text, [from, to]) => {
      assert.ok(text.includes(from), `${path} has ${from}`);
      return text.replace(from, to);
    }, content.toString());
  };
}

// A page of its own, of which errors are no fault; `act` on it, with other files served.
async function onPage(browser, change, act, where = address) {
  const page = await browser.newPage();
  try {
    change();
    await page.goto(where);
    await act(page);
  } finally {
    served = as_it_is;
    await page.close();
  }
}

async function inBrowser(flags, work) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: [...FLAGS, ...flags] });
  try {
    const page = await browser.newPage();
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    await page.goto(address);
    await page.waitForSelector("body[data-gpu]");
    await work(page, browser);
    assert.deepEqual(wrong, [], "nothing goes wrong behind the page");
  } finally {
    await browser.close();
  }
}

let count = 0;
async function check(what, work) {
  const began = performance.now();
  const more = await work();
  count += 1;
  console.log(`ok  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${what}${more ? `: ${more}` : ""}`);
}

// ---- What the program has recorded of its runs

// 64-bit FNV-1a over the parts of a solution, as tests/golden.rs has it.
function hash(solution) {
  let now = 0xcbf29ce484222325n;
  for (const part of solution) {
    for (let byte = 0; byte < 4; byte += 1) {
      now = BigInt.asUintN(64, (now ^ BigInt((part >>> (8 * byte)) & 255)) * 0x100000001b3n);
    }
  }
  return now.toString(16).padStart(16, "0");
}

// Rows of tests/golden.csv on instances of the repository, with settings as the page's worker takes them.
const recorded = readFileSync(join(root, "tests/golden.csv"), "utf8").trim().split("\n").slice(1).flatMap((line) => {
  const cells = line.split(",");
  const [backends, instance, iterations, seed] = cells;
  const [cost, expected] = cells.slice(-2);
  const words = cells.slice(4, -2).join(",");
  if (!instance.startsWith("instances/") || /--(?!algorithm|set)/.test(words)) return [];
  const settings = { seed: Number(seed) };
  for (const [, option, word] of words.matchAll(/--(algorithm|set) (\S+)/g)) {
    const [name, value] = option === "algorithm" ? ["algorithm", word] : word.split("=");
    settings[name] = /^[\d.]+$/.test(value) ? Number(value) : value;
  }
  // In a settings file parameters are of the algorithm that is named.
  if (!settings.algorithm && Object.keys(settings).length > 1) return [];
  return [{ backends, instance, words, settings, iterations: Number(iterations), cost: Number(cost), hash: expected }];
});

// Solves in a worker of the page's, without the page around it.
function solve(page, device, { instance, settings, iterations }) {
  const content = readFileSync(join(root, instance), "utf8");
  return page.evaluate(([content, asked]) => new Promise((resolve, reject) => {
    // One for all: to start it takes longer than most runs.
    window.solver ??= new Worker("worker.js", { type: "module" });
    window.solver.onerror = ({ message }) => reject(new Error(message));
    window.solver.onmessage = ({ data }) => {
      if (data.type === "error") reject(new Error(data.message));
      if (data.type === "ended") resolve({ reading: data.reading, tour: [...data.solution] });
    };
    const read = { metric: "stated", open: false };
    window.solver.postMessage({ type: "load", name: "problem", content: new TextEncoder().encode(content), read });
    window.solver.postMessage({ type: "solve", asked, seconds: null });
  }), [content, { device, iterations, settings }]);
}

async function equals(page, device, rows) {
  assert.ok(rows.length > 0, "there are rows to compare with");
  for (const row of rows) {
    const began = performance.now();
    const { reading, tour } = await solve(page, device, row);
    if (process.env.MYRMEX_VERBOSE) console.log(((performance.now() - began) / 1000).toFixed(1), row.instance, row.words);
    const found = { cost: reading.cost, hash: hash(tour), backend: reading.backend };
    const expected = { cost: row.cost, hash: row.hash, backend: device === "cpu" ? "cpu" : "wgpu" };
    assert.deepEqual(found, expected, `${row.instance} ${row.words}, ${row.iterations} iterations`);
  }
  return `${rows.length} runs`;
}

// ---- What a person does

// The cost of a tour by TSPLIB's EUC_2D, with nothing of the program's.
function cost(instance, tour) {
  const text = readFileSync(join(root, instance), "utf8");
  const rows = text.split("NODE_COORD_SECTION")[1].trim().split("\n").filter((line) => /^\s*\d/.test(line));
  const places = rows.map((row) => row.trim().split(/\s+/).slice(1).map(Number));
  assert.deepEqual([...tour].sort((a, b) => a - b), places.map((_, city) => city), "every city once");
  return tour.reduce((sum, city, at) => {
    const [a, b] = [places[city], places[tour[(at + 1) % tour.length]]];
    return sum + Math.floor(Math.hypot(a[0] - b[0], a[1] - b[1]) + 0.5);
  }, 0);
}

// Waits until the page says something.
async function said(page, words) {
  const says = (source) => new RegExp(source).test(document.getElementById("status").textContent);
  await page.waitForFunction(says, words.source).catch(async (error) => {
    const told = await page.evaluate(() => ["status", "error"].map((id) => document.getElementById(id).textContent));
    throw new Error(`${words}: the page says ${JSON.stringify(told)} (${error.message})`);
  });
}

async function solveOnPage(page, { instance, device, seconds }) {
  await page.setInputFiles("#open-file", join(root, instance));
  await said(page, /cities/);
  await page.selectOption("#device", device);
  await page.fill("#seconds", String(seconds));
  await page.click("#solve");
  await page.waitForSelector("body[data-state=running]");
  const readings = [];
  for (;;) {
    const [state, reading] = await page.evaluate(() => [document.body.dataset.state, document.body.dataset.reading]);
    if (reading) readings.push(JSON.parse(reading));
    if (state === "idle") break;
    await page.waitForTimeout(100);
  }
  assert.equal(await page.textContent("#error"), "");
  return readings;
}

async function downloaded(page, kind) {
  await page.selectOption("#kind", kind);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  return readFileSync(await download.path(), "utf8");
}

// Writes into the field of the text, and waits until that is loaded or refused.
async function write(page, text) {
  await page.click("#clear");
  await page.fill("#text", text);
  await page.locator("#text").blur();
  await said(page, /cities|facilities|Nothing/);
}

async function run(page, seconds) {
  await page.fill("#seconds", String(seconds));
  await page.click("#solve");
  await ends(page);
}

// Waits until no run is under way: a click has begun it at once.
async function ends(page) {
  await page.waitForSelector("body[data-state=idle]", { timeout: 60_000 });
}

const told = async (page) => ({
  status: await page.textContent("#status"),
  error: await page.textContent("#error"),
  warnings: await page.textContent("#warnings"),
});

// What Chromium says against shaders, given as name and source.
function refusalsOf(page, sources) {
  return page.evaluate(async (sources) => {
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter.requestDevice();
    const messages = await Promise.all(sources.map(async ([name, code]) => {
      device.pushErrorScope("validation");
      const module = device.createShaderModule({ code });
      void device.popErrorScope();
      const { messages } = await module.getCompilationInfo();
      return messages.filter(({ type }) => type === "error").map(({ lineNum, message }) => `${name}:${lineNum}: ${message}`);
    }));
    device.destroy();
    return messages.flat();
  }, sources);
}

// ---- The checks

// Of 1,000 cities; a tour within 1% of the best known cost (instances/README.md).
const LARGE = { instance: "instances/clustered1000.tsp", best: 10498617 };
const shaders = process.argv[2];

await inBrowser(["--host-resolver-rules=MAP other.test 127.0.0.1"], async (page, browser) => {
  await check("without WebGPU the page says so and computes on the CPU", async () => {
    assert.equal(await page.getAttribute("body", "data-gpu"), "missing");
    assert.match(await page.textContent("#device-note"), /offers no GPU.*CPU/);
    assert.equal(await page.inputValue("#device"), "cpu");
  });
  await check("a GPU that is not there is refused", async () => {
    const [row] = recorded;
    await assert.rejects(solve(page, "webgpu", row), /no usable GPU/);
    // The problem is still there.
    const told = await page.evaluate(() => new Promise((resolve) => {
      window.solver.onmessage = ({ data }) => data.type === "error" && resolve(data.message);
      window.solver.postMessage({ type: "more", seconds: 0 });
    }));
    assert.match(told, /no run has begun/);
  });
  await check("the CPU finds what the program has recorded", () => equals(page, "cpu", recorded));
  await check("1,000 cities on the CPU, from a file to a file", async () => {
    const readings = await solveOnPage(page, { ...LARGE, device: "cpu", seconds: 5 });
    const costs = readings.map((reading) => reading.cost);
    const last = readings.at(-1);
    assert.ok(new Set(readings.map(({ iterations }) => iterations)).size > 3, "the page follows the run");
    assert.ok(costs.every((now, at) => at === 0 || now <= costs[at - 1]), "costs fall");
    // Other work may share the processor.
    assert.ok(last.cost <= 1.03 * LARGE.best, `${last.cost}`);
    if (process.env.MYRMEX_SCREENSHOT) await page.screenshot({ path: process.env.MYRMEX_SCREENSHOT });
    const tour = (await downloaded(page, "tour")).split("TOUR_SECTION")[1].trim().split(/\s+/).map(Number);
    assert.equal(cost(LARGE.instance, tour.slice(0, tour.indexOf(-1)).map((city) => city - 1)), last.cost);
    assert.equal((await downloaded(page, "csv")).trim().split("\n").length, 1001);
    return `cost ${last.cost}, ${last.iterations} iterations`;
  });
  await check("points are clicked, and a run is stopped", async () => {
    await page.click("#clear");
    // Of fewer points the run would end by itself.
    for (let i = 0; i < 16; i += 1) {
      const angle = (i * 7 * Math.PI) / 8;
      await page.click("#map", { position: { x: 200 + 150 * Math.cos(angle), y: 200 + 150 * Math.sin(angle) } });
    }
    assert.equal((await page.inputValue("#text")).trim().split("\n").length, 17);
    await page.fill("#seconds", "600");
    await page.click("#solve");
    await page.waitForSelector("body[data-reading]");
    await page.evaluate(() => ["stop", "stop"].forEach((id) => document.getElementById(id).click()));
    await page.waitForSelector("body[data-state=idle]");
    assert.match((await told(page)).status, /^Length .* Stopped\.$/);
    assert.ok(await page.isEnabled("#more"), "a double click stops as a click does");
    const around = (await downloaded(page, "csv")).trim().split("\n").slice(1);
    assert.equal(around.length, 16);
  });
  await check("what is drawn is seen, also of points that were clicked", async () => {
    const drawn = () => page.evaluate(() => {
      const canvas = document.getElementById("map");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, at) => at % 4 === 3 && value > 0).length;
    });
    await page.click("#clear");
    await page.click("#example");
    await said(page, /200 cities/);
    const points = await drawn();
    assert.ok(points > 1000, `${points} pixels of 200 points`);
    await page.fill("#seconds", "1");
    await page.click("#solve");
    await page.waitForSelector("body[data-state=running]");
    await page.waitForSelector("body[data-state=idle]", { timeout: 60_000 });
    assert.ok((await drawn()) > 1.5 * points, "the tour is drawn");
    // One place, and places that are all the same.
    await page.click("#clear");
    await page.fill("#text", "5,5\n5,5\n5,5\n");
    await page.locator("#text").blur();
    await said(page, /3 cities/);
    assert.ok((await drawn()) > 0);
  });
  await check("while a run goes on nothing else is taken, and it goes on after a stop", async () => {
    await page.click("#clear");
    await page.setInputFiles("#open-file", join(root, "instances/uniform200.tsp"));
    await said(page, /200 cities/);
    await page.fill("#seconds", "600");
    await page.click("#solve");
    await page.waitForSelector("body[data-reading]");
    for (const id of ["text", "open-file", "example", "metric", "seed"]) assert.ok(await page.isDisabled(`#${id}`), id);
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["x,y\n1,2\n3,4\n"], "other.csv"));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true, bubbles: true }));
    });
    assert.match(await page.textContent("#error"), /stop it first/);
    // What cannot be written ends no run.
    assert.ok(await page.evaluate(() => document.querySelector("#kind option[value=geojson]").disabled));
    assert.match(await downloaded(page, "tour"), /TOUR_SECTION/);
    assert.equal(await page.getAttribute("body", "data-state"), "running");
    await page.click("#stop");
    await page.waitForSelector("body[data-state=idle]");
    const reading = async () => JSON.parse(await page.getAttribute("body", "data-reading"));
    const first = await reading();
    assert.match(await page.textContent("#status"), /Stopped\./);
    await page.fill("#seconds", "1");
    await page.click("#more");
    await page.waitForSelector("body[data-state=running]");
    await page.waitForSelector("body[data-state=idle]", { timeout: 60_000 });
    const last = await reading();
    assert.ok(last.iterations > first.iterations && last.cost <= first.cost, "it goes on");
    // Options that are changed take nothing away.
    await page.selectOption("#open", "open");
    assert.match(await downloaded(page, "csv"), /^order,city/);
    await page.selectOption("#open", "closed");
    // A page that is loaded again has the text and the options.
    await page.click("#clear");
    await page.fill("#text", "lon,lat\n13.4,52.5\n2.35,48.86\n12.5,41.9\n-0.1,51.5\n");
    await page.locator("#text").blur();
    await said(page, /4 cities, longitudes and latitudes/);
    await page.fill("#seed", "-1");
    await page.click("#solve");
    assert.match(await page.textContent("#error"), /^Seed: a whole number/);
    await page.fill("#seed", "7");
    await page.click("#solve");
    await page.waitForSelector("#status:has-text('None is better')");
    assert.match(await page.textContent("#status"), /^Length [\d.,]+ m after/);
    assert.match(await downloaded(page, "geojson"), /LineString/);
    await page.reload();
    await said(page, /4 cities/);
    assert.equal(await page.inputValue("#seed"), "7");
    // An assignment is told as one.
    await page.setInputFiles("#open-file", join(root, "instances/layout40.dat"));
    await said(page, /40 facilities/);
    await page.fill("#iterations", "3");
    await page.fill("#seconds", "60");
    await page.click("#solve");
    await page.waitForSelector("body[data-state=running]");
    await page.waitForSelector("body[data-state=idle]", { timeout: 60_000 });
    assert.match(await page.textContent("#status"), /^Cost [\d.,]+ after .* 3 iterations/);
    assert.equal((await downloaded(page, "sln")).trim().split(/\s+/).length, 42);
    await page.fill("#iterations", "");
    assert.equal(await page.textContent("#error"), "");
    // What was chosen for tours is not asked for.
    assert.ok(await page.isDisabled("#open"));
    await page.click("#example");
    await said(page, /200 cities/);
    assert.ok(await page.isEnabled("#open"));
    await page.selectOption("#algorithm", "lk");
    await page.setInputFiles("#open-file", join(root, "instances/layout40.dat"));
    await said(page, /40 facilities/);
    assert.equal(await page.inputValue("#algorithm"), "auto");
  });
  await check("a file that is asked for in the last turn is handed out", async () => {
    await page.click("#example");
    await said(page, /200 cities/);
    await page.fill("#seconds", "600");
    await page.click("#solve");
    await page.waitForSelector("body[data-reading]");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.evaluate(() => ["stop", "download"].forEach((id) => document.getElementById(id).click())),
    ]);
    assert.match(readFileSync(await download.path(), "utf8"), /city|TOUR_SECTION/);
    await page.waitForSelector("body[data-state=idle]");
    // A set-up takes no message: it is ended, and another run can begin.
    await page.click("#solve");
    await page.click("#stop");
    await page.waitForSelector("body[data-state=idle]");
    await page.fill("#seconds", "1");
    await page.click("#solve");
    await page.waitForSelector("body[data-state=running]");
    await page.waitForSelector("body[data-state=idle]", { timeout: 60_000 });
    assert.match(await page.textContent("#status"), /^Length/);
    assert.equal(await page.textContent("#error"), "");
  });
  await check("what is no problem is refused with file and line", async () => {
    await page.click("#clear");
    await page.fill("#text", "x,y\n1,2\n3,four\n");
    await page.locator("#text").blur();
    await page.waitForSelector("#error:not([hidden])");
    assert.match(await page.textContent("#error"), /points:3: /);
  });
  await check("what may be meant otherwise is told, and rounding proves nothing", async () => {
    // Rounding leaves three places, of which all orders are tried.
    await write(page, "x,y\n0,0\n1,0\n1e10,0\n1e10,1\n5e9,9e9\n5000000001,9e9\n");
    assert.match((await told(page)).warnings, /^3 of 6 cities are in the same place/);
    assert.ok(await page.isVisible("#warnings"));
    await run(page, 1);
    assert.match((await told(page)).status, /^Length/);
    assert.doesNotMatch((await told(page)).status, /None is better/);
    // A solution has warnings of its own.
    await write(page, "0,5,1e9,1e9\n5,0,1e9,1e9\n1e9,1e9,0,5\n1e9,1e9,5,0\n");
    await run(page, 1);
    assert.match((await told(page)).warnings, /The tour takes 2 ways longer than all the others together/);
    await write(page, "x,y\n0,0\n1,0\n1,1\n");
    await run(page, 1);
    assert.match((await told(page)).status, /None is better\./);
    // The place of warnings is empty, but there: what is written into it is read aloud.
    assert.equal((await told(page)).warnings, "");
    const place = await page.evaluate(() => {
      const note = document.getElementById("warnings");
      return [note.checkVisibility({ visibilityProperty: true }), note.offsetHeight];
    });
    assert.deepEqual(place, [true, 0]);
  });
  await check("a file is read once, whatever the options of a run are", async () => {
    await page.click("#clear");
    await page.evaluate(() => {
      window.said = [];
      const status = document.getElementById("status");
      new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true });
    });
    await page.fill("#seed", "");
    const before = requests["/worker.js"];
    await page.setInputFiles("#open-file", join(root, "instances/uniform200.tsp"));
    await said(page, /200 cities/);
    assert.ok((await page.evaluate(() => window.said)).some((text) => /^Reading/.test(text)));
    assert.equal((await told(page)).error, "");
    await page.click("#solve");
    assert.match((await told(page)).error, /^Seed: a whole number/);
    await page.fill("#seed", "3");
    await run(page, 1);
    assert.match((await told(page)).status, /^Length/);
    assert.equal(requests["/worker.js"], before + 1);
    // To go on takes nothing else that was chosen, and says so.
    await page.selectOption("#algorithm", "acs");
    assert.equal((await told(page)).status, "Solve takes what was chosen; Go on takes the seconds alone.");
    await page.selectOption("#algorithm", "auto");
    // How it is read is another matter.
    await page.selectOption("#open", "open");
    await run(page, 1);
    assert.equal(requests["/worker.js"], before + 2);
    await page.selectOption("#open", "closed");
  });
  await check("what cannot be kept is not taken for what was kept before", async () => {
    await write(page, "x,y\n1,1\n2,2\n3,3\n");
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    });
    await write(page, "x,y\n1,1\n2,2\n3,3\n4,4\n");
    await page.reload();
    await said(page, /Give it some places/);
    assert.equal(await page.inputValue("#text"), "");
  });
  await check("a trap without a word is memory that is missing, another one a fault", async () => {
    for (const [trap, words] of [["unreachable", /^Out of memory: .*smaller file.*program/], ["table index", /^A fault of Myrmex itself: table index/]]) {
      const thrown = `throw new WebAssembly.RuntimeError(${JSON.stringify(trap)})`;
      await onPage(browser, () => serving("/worker.js", [["problem: JSON.parse(", `problem: (() => { ${thrown}; })(`]]), async (page) => {
        await page.click("#example");
        await page.waitForSelector("#error:not([hidden])");
        assert.match((await told(page)).error, words);
      });
      // In a run what was found stays.
      const later = ["if (state !== 0) tell", `if (spent > 0.5) ${thrown};\n    if (state !== 0) tell`];
      await onPage(browser, () => serving("/worker.js", [later]), async (page) => {
        await page.click("#example");
        await run(page, 60);
        assert.match((await told(page)).error, words);
        assert.equal((await downloaded(page, "csv")).trim().split("\n").length, 201);
      });
    }
  });
  await check("a worker that does not stop is ended, and its tour stays", async () => {
    await onPage(browser, () => serving("/worker.js", [["stopped = true;", ""]]), async (page) => {
      await page.click("#example");
      await page.fill("#seconds", "600");
      await page.click("#solve");
      await page.waitForSelector("body[data-reading]");
      await page.click("#stop");
      // It is given time: a double click ends nothing.
      await page.click("#stop");
      assert.deepEqual([(await told(page)).status, await page.getAttribute("body", "data-state")], ["Stopping…", "running"]);
      await said(page, /Stopping… It takes longer .*press Stop again/);
      await page.click("#stop");
      await page.waitForSelector("body[data-state=idle]");
      assert.match((await told(page)).status, /^Length .* Stopped at once/);
      assert.ok(await page.isDisabled("#more"));
      for (const kind of ["csv", "tour"]) assert.match(await downloaded(page, kind), /^order,city|TOUR_SECTION/);
      await run(page, 1);
      assert.match((await told(page)).status, /^Length/);
    });
  });
  await check("a page that cannot work says why", async () => {
    await onPage(browser, () => {}, async (page) => {
      assert.match((await told(page)).status, /through a web server/);
    }, new URL("../www/index.html", import.meta.url).href);
    for (const [missing, file] of [["/pkg/", "myrmex_web.js"], [".wasm", "myrmex_web_bg.wasm"]]) {
      await onPage(browser, () => (served = (path, content) => (path.includes(missing) ? null : content)), async (page) => {
        await page.click("#example");
        await page.waitForSelector("#error:not([hidden])");
        assert.match((await told(page)).error, new RegExp(`pkg/${file} is missing.*web/build.sh`));
        assert.equal((await told(page)).status, "Nothing is loaded.");
      });
    }
    await onPage(browser, () => {}, async (page) => {
      await page.waitForSelector("body[data-gpu=missing]");
      assert.match(await page.textContent("#device-note"), /plain HTTP.*HTTPS.*on the CPU/);
    }, address.replace("localhost", "other.test"));
  });
  await check("other pages solve by myrmex.js", async () => {
    const found = await page.evaluate(async () => {
      const { solve, Session } = await import(new URL("myrmex.js", location.href));
      const square = "x,y\n0,0\n2,0\n2,1\n0,1\n";
      const all = await solve(square, { device: "cpu", seconds: 1 });
      const assigned = await solve("3\n0 1 2\n1 0 3\n2 3 0\n0 4 5\n4 0 6\n5 6 0\n", { name: "a.dat", device: "cpu", seconds: 1, fixed: [[0, 2]] });
      const points = Array.from({ length: 200 }, (_, at) => `${(at * 37) % 101},${(at * 61) % 103}`).join("\n");
      const stopper = new AbortController();
      let readings = 0;
      const onProgress = ({ iterations }) => {
        readings += 1;
        if (iterations > 2) stopper.abort();
      };
      const stopped = await solve(new TextEncoder().encode(points), { settings: { seed: 2 }, device: "cpu" }, { onProgress, signal: stopper.signal });
      const nothing = await solve("x,y\n1,one\n", { name: "p.csv" }).catch((error) => error.message);
      const early = new AbortController();
      const aborted = solve(points, {}, { signal: early.signal }).catch((error) => error.name);
      early.abort();
      const session = new Session(square);
      const table = new TextDecoder().decode(await session.file("csv", Uint32Array.of(0, 1, 2, 3)));
      const wrong = await session.file("csv", Uint32Array.of(0, 1, 2, 2)).catch((error) => error.message);
      session.close();
      const closed = await session.goOn().catch((error) => error.name);
      return {
        length: all.reading.length, best: all.reading.best, parts: all.problem.parts, placed: [...assigned.solution],
        stopped: stopped.stopped, cities: stopped.solution.length, readings, nothing, aborted: await aborted, table, wrong, closed,
      };
    });
    assert.deepEqual([found.length, found.best, found.parts], [6, true, "cities"]);
    assert.equal(found.placed[0], 2);
    assert.deepEqual([found.stopped, found.cities], [true, 200]);
    assert.ok(found.readings > 0);
    assert.match(found.nothing, /p\.csv:2: /);
    assert.deepEqual([found.aborted, found.closed], ["AbortError", "AbortError"]);
    assert.match(found.table, /^order,city/);
    assert.match(found.wrong, /twice|once|permutation/);
    // The example of the guide.
    const example = readFileSync(join(root, "docs/guide/browser.md"), "utf8").match(/```js\n(.*?)```/s)[1].replace("seconds: 2,", "seconds: 1, device: 'cpu',");
    const [said] = await Promise.all([page.waitForEvent("console"), page.addScriptTag({ type: "module", content: example })]);
    assert.match(said.text(), /^12\.\d+ Uint32Array\(4\) problem/);
  });
  await check("runs of myrmex.js that fail leave what they had found", async () => {
    // In a page of its own: a run of 200 cities that `how` makes fail, and what is known of its end.
    const failed = (page, how) => page.evaluate(async (how) => {
      const { Session, solve } = await import(new URL("myrmex.js", location.href));
      const points = Array.from({ length: 200 }, (_, at) => `${(at * 37) % 101},${(at * 61) % 103}`).join("\n");
      const about = (error) => {
        const { found } = error;
        return [error.message, found && [new Set(found.solution).size, found.reading.cost > 0, found.stopped, found.warnings]];
      };
      if (how === "abort") {
        const stopper = new AbortController();
        const onProgress = () => stopper.abort();
        const { problem, stopped, solution } = await solve(points, { device: "cpu", seconds: 60 }, { onProgress, signal: stopper.signal });
        return [problem.size, stopped, solution.length];
      }
      let calls = 0;
      const callbacks = {
        throws: () => {
          calls += 1;
          if (calls > 1) throw new Error("of the callback");
        },
        rejects: async () => Promise.reject(new Error("of the callback")),
        word: () => Promise.reject("a word"),
        closes: () => session.close(),
      };
      const session = new Session(points);
      const end = await session.solve({ device: "cpu", seconds: 5 }, callbacks[how]).then(() => "it ended", (error) => (error.message ? about(error) : error));
      const wasClosed = session.closed;
      session.close();
      return [end, wasClosed];
    }, how);
    const something = [200, true, false, []];
    await onPage(browser, () => {}, async (page) => {
      const wrong = [];
      page.on("pageerror", (error) => wrong.push(error.message));
      assert.deepEqual(await failed(page, "throws"), [["of the callback", something], true]);
      assert.deepEqual(await failed(page, "rejects"), [["of the callback", something], true]);
      assert.deepEqual(await failed(page, "word"), ["a word", true]);
      assert.deepEqual(await failed(page, "closes"), [["the session was closed", something], true]);
      assert.deepEqual(wrong, [], "no rejection is left over");
    });
    // A trap is told by the worker; an error outside of its messages by the browser.
    for (const [thrown, words, isClosed] of [
      ['throw new WebAssembly.RuntimeError("table index")', /^A fault of Myrmex itself: table index/, false],
      ['setTimeout(() => { throw new Error("lost"); })', /^The worker has failed: .*lost/, true],
    ]) {
      const later = ["if (state !== 0) tell", `if (spent > 0.5) ${thrown};\n    if (state !== 0) tell`];
      await onPage(browser, () => serving("/worker.js", [later]), async (page) => {
        const [[message, found], wasClosed] = await failed(page, "of the worker");
        assert.match(message, words);
        assert.deepEqual([found, wasClosed], [something, isClosed]);
      });
    }
    await onPage(browser, () => serving("/worker.js", [["stopped = true;", ""]]), async (page) => {
      assert.deepEqual(await failed(page, "abort"), [200, true, 200]);
    });
  });
  await check("myrmex.js takes the program's words", async () => {
    const told = await page.evaluate(async () => {
      const { solve } = await import(new URL("myrmex.js", location.href));
      const square = "x,y\n0,0\n2,0\n2,1\n0,1\n";
      const { reading } = await solve(square, { metric: "auto", device: "cpu", seconds: 1 });
      const none = await Promise.all(["wgpu", "webgpu"].map((device) => solve(square, { device }).catch((error) => error.message)));
      return { length: reading.length, none };
    });
    assert.equal(told.length, 6);
    for (const words of told.none) assert.match(words, /no usable GPU/);
  });
  await check("the page fits a phone, and everything has a name", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    assert.ok((await page.evaluate(() => document.scrollingElement.scrollWidth)) <= 360);
    const nameless = await page.evaluate(() => {
      const fields = [...document.querySelectorAll("input, select, textarea, button")];
      return fields.filter((field) => !(field.labels?.length || field.textContent.trim())).map(({ id }) => id);
    });
    assert.deepEqual(nameless, []);
  });
});

// Of each family of kernels what software solves within seconds. Crossover takes it too long for the iterations of a recorded run: of
// all phases of the default it does little, and begins them again.
const quick = [/uniform200.*lk --set window_size/, /2opt-64/, /layout40.*cas/];
const phases = { algorithm: "lk-eax", seed: 1, windows: 3, window_size: 60, steps: 400, population: 4, children: 2 };

await inBrowser(WEBGPU, async (page, browser) => {
  await check("with WebGPU the page offers the GPU", async () => {
    assert.equal(await page.getAttribute("body", "data-gpu"), "present");
    assert.ok(await page.isHidden("#device-note"));
    const [name, software] = await page.evaluate(async () => {
      const { info } = await navigator.gpu.requestAdapter();
      return [`${info.vendor} ${info.architecture} ${info.description}`, info.isFallbackAdapter || info.architecture === "swiftshader"];
    });
    assert.equal(software, !hardware, name);
    return name;
  });
  await check("WebGPU finds what the program has recorded", async () => {
    const both = recorded.filter(({ backends }) => backends === "both");
    const rows = hardware ? both : both.filter(({ instance, words }) => quick.some((it) => it.test(`${instance} ${words}`)));
    assert.ok(rows.length >= quick.length, `${rows.length} rows`);
    return equals(page, "webgpu", rows);
  });
  await check("WebGPU finds what the CPU finds, through all phases", async () => {
    const run = { instance: "instances/uniform200.tsp", iterations: 100, settings: phases };
    const [gpu, cpu] = [await solve(page, "webgpu", run), await solve(page, "cpu", run)];
    assert.deepEqual([gpu.reading.backend, cpu.reading.backend], ["wgpu", "cpu"]);
    assert.deepEqual([gpu.reading.cost, gpu.tour], [cpu.reading.cost, cpu.tour]);
    assert.ok(gpu.reading.round > 0, "the phases have begun again");
  });
  await check("1,000 cities on WebGPU", async () => {
    const readings = await solveOnPage(page, { ...LARGE, device: "webgpu", seconds: 30 });
    const last = readings.at(-1);
    assert.equal(last.backend, "wgpu");
    assert.ok(last.cost < readings[0].cost && last.iterations > readings[0].iterations, "the tour improves");
    assert.ok(last.cost <= 1.01 * LARGE.best, `${last.cost}`);
    return `cost ${last.cost}, ${last.iterations} iterations`;
  });
  await check("a run on WebGPU hands its tour over between turns, and can be stopped before it has one", async () => {
    await page.setInputFiles("#open-file", join(root, "instances/uniform200.tsp"));
    await said(page, /200 cities/);
    await page.fill("#seconds", "600");
    await page.click("#solve");
    await page.waitForSelector("body[data-state=running]");
    await page.click("#stop");
    await page.waitForSelector("body[data-state=idle]", { timeout: 180_000 });
    await page.click("#solve");
    await page.waitForSelector("body[data-reading]", { timeout: 180_000 });
    assert.match(await downloaded(page, "tour"), /DIMENSION : 200/);
    assert.equal(await page.getAttribute("body", "data-state"), "running");
    await page.click("#stop");
    await page.waitForSelector("body[data-state=idle]", { timeout: 180_000 });
    assert.equal(await page.textContent("#error"), "");
  });
  await check("why a run is on the CPU is told of that run", async () => {
    await page.click("#example");
    await page.selectOption("#device", "cpu");
    await run(page, 1);
    assert.match((await told(page)).status, /on the CPU\. *$/);
    await page.selectOption("#device", "auto");
    await page.click("#more");
    await ends(page);
    assert.match((await told(page)).status, /on the CPU\. *$/);
    if (hardware) return;
    await run(page, 1);
    assert.match((await told(page)).status, /on the CPU, since there is no GPU but software\./);
  });
  await check("a GPU that does not open, or fails, is told as that", async () => {
    const info = "Object.defineProperty(GPUAdapterInfo.prototype, 'isFallbackAdapter', { get: () => false });\n";
    const ready = "const ready =";
    const refuses = `${info}GPUAdapter.prototype.requestDevice = async () => { throw new DOMException("no device today", "OperationError"); };\n${ready}`;
    await onPage(browser, () => serving("/worker.js", [[ready, refuses]]), async (page) => {
      await page.click("#example");
      await said(page, /200 cities/);
      await run(page, 1);
      assert.match((await told(page)).status, /on the CPU, since the GPU cannot be opened: no device today\./);
      await page.selectOption("#device", "webgpu");
      await page.click("#solve");
      await page.waitForSelector("#error:not([hidden])");
      assert.match((await told(page)).error, /^[^:]+: cannot be opened: no device today; choose another device, or the CPU$/);
    });
    const loses = `${info}const request = GPUAdapter.prototype.requestDevice;
      GPUAdapter.prototype.requestDevice = async function (...given) {
        const device = await request.apply(this, given);
        setTimeout(() => device.destroy(), 300);
        return device;
      };
      ${ready}`;
    await onPage(browser, () => serving("/worker.js", [[ready, loses]]), async (page) => {
      await page.click("#example");
      await said(page, /200 cities/);
      await run(page, 5);
      assert.match((await told(page)).status, /on the CPU; the GPU failed: /);
      assert.doesNotMatch((await told(page)).status, /since/);
    });
  });
  if (!shaders) return;
  await check("Chromium takes every shader that plans can ask for", async () => {
    const sources = JSON.parse(readFileSync(shaders, "utf8"));
    const refusals = async (sources) => {
      const refused = [];
      for (let first = 0; first < sources.length; first += 40) {
        refused.push(...await refusalsOf(page, sources.slice(first, first + 40)));
      }
      return refused;
    };
    assert.deepEqual(await refusals(sources), []);
    assert.ok(sources.length > 100);
    // Without what makes them so for browsers each of these is refused.
    const changed = sources.filter(([, source]) => source.includes("same_for_all(")).slice(0, 40);
    const plain = await refusals(changed.map(([name, source]) => [name, source.replaceAll("same_for_all(", "bool(").replace("fn bool(", "fn same_for_all(")]));
    assert.equal(new Set(plain.map((line) => line.split(":")[0])).size, changed.length);
    return `${sources.length} shaders`;
  });
});

server.close();
console.log(`${count} checks of the page hold`);
