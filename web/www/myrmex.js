// Problems that a worker reads and solves, for any page: `solve` does all at once, a `Session` step by step. The page beside it, page.js, uses
// nothing else. All files of this folder are needed, with pkg/ as web/build.sh makes it.

/** Seconds that a worker has to answer the signal of `solve`. */
const PATIENCE = 5;

// The program's words, and the worker's.
const metricOf = (word) => (word === "auto" ? "stated" : word);
const deviceOf = (word) => (word === "wgpu" ? "webgpu" : word);

/**
 * How a file is read.
 * @typedef {object} ReadAs
 * @property {string} [name] The file's name, for messages and for files of the solution. By default "problem".
 * @property {"auto" | "plane" | "globe" | "stated"} [metric] Distances: as the file says (`auto`, by default; `stated` says the same), along
 *   straight lines, or on the globe.
 * @property {boolean} [open] Whether the tour is an open path.
 * @property {[number, number][]} [fixed] For assignments: facilities that are given their locations, as pairs counted from 0.
 */

/**
 * How a problem is solved.
 * @typedef {object} RunOptions
 * @property {number | null} [seconds] When the run ends; without it and `iterations` when it is stopped, or nothing is better.
 * @property {number | null} [iterations] After how many iterations it ends.
 * @property {"auto" | "wgpu" | "cpu" | "webgpu"} [device] By default "auto": the GPU, or the CPU where there is none. "wgpu" is the GPU alone, as
 *   "webgpu" is.
 * @property {object} [settings] Algorithm, seed and parameters, as in a settings file (docs/guide/settings.md).
 */

/**
 * What a file was taken for.
 * @typedef {object} Loaded
 * @property {string} name
 * @property {"tsp" | "qap"} kind
 * @property {string} parts What it has `size` of: "cities" or "facilities".
 * @property {number} size
 * @property {number | null} locations Of an assignment.
 * @property {number | null} cost_error By how much costs of an assignment may be off by rounding.
 * @property {boolean} open
 * @property {[number, number][] | null} layout Where cities are drawn.
 * @property {string | null} unit The unit of lengths, where it is known.
 * @property {string} measured What distances are measured between, in words.
 * @property {string[]} forms The kinds of files that a solution can be written as.
 * @property {string[]} warnings What may be meant otherwise.
 */

/**
 * How far a run is.
 * @typedef {object} Reading
 * @property {string} backend "wgpu" or "cpu".
 * @property {string} device
 * @property {{message: string} | null} device_lost Where a GPU failed and the CPU went on.
 * @property {string | null} no_gpu Why "auto" took the CPU.
 * @property {number} cost What the solver counts.
 * @property {number} length The same in the unit of the file.
 * @property {number} iterations
 * @property {number} seconds
 * @property {string} ended Why the last turn ended.
 * @property {boolean} best Whether no solution is better.
 * @property {string | null} algorithm
 * @property {number} phase
 * @property {number} round
 */

/**
 * What a run has found.
 * @typedef {object} Result
 * @property {Reading} reading
 * @property {Uint32Array} solution Cities in their order, or the location of each facility; counted from 0.
 * @property {boolean} stopped
 * @property {string[]} warnings What people are to know of the solution.
 */

/**
 * @callback OnProgress
 * @param {Reading} reading
 * @param {Uint32Array | null} solution The best so far; `null` until your promise for the previous solution resolves.
 * @returns {void | Promise<void>} What is thrown, or the promise is rejected with, ends the run and its session: the run is rejected with it.
 */

/**
 * Reads a file and solves what is in it.
 * @param {ArrayBuffer | Uint8Array | string} content The file: any of the formats that the program reads.
 * @param {ReadAs & RunOptions} [options]
 * @param {{onProgress?: OnProgress, signal?: AbortSignal}} [how] A signal stops the run: with what it has found, or an `AbortError` before it has found
 *   anything. A worker that does not answer it within `PATIENCE` seconds is ended.
 * @returns {Promise<Result & {problem: Loaded}>}
 */
export async function solve(content, options = {}, { onProgress, signal } = {}) {
  signal?.throwIfAborted();
  const session = new Session(content, options);
  let late;
  let isEnded = false;
  const end = () => {
    isEnded = true;
    session.close();
  };
  const stop = () => {
    session.stop();
    late = setTimeout(end, 1000 * PATIENCE);
  };
  signal?.addEventListener("abort", stop);
  try {
    const run = session.solve(options, onProgress).catch((error) => {
      if (isEnded && error.found) return error.found;
      throw error;
    });
    // Why it could not be loaded is why there is no run.
    const [problem, result] = await Promise.all([session.loaded, run]);
    return { problem, ...result };
  } finally {
    clearTimeout(late);
    signal?.removeEventListener("abort", stop);
    session.close();
  }
}

/** One problem, in a worker of its own. */
export class Session {
  /** What the file was taken for. @type {Promise<Loaded>} */
  loaded;
  /** Whether a run was asked for. */
  hasRun = false;
  #worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  #closed = false;
  // Whether the worker has said anything.
  #started = false;
  // What is waited for: the file to be loaded, the run with what is known of it, files in the order in which they were asked for.
  #loading = null;
  #run = null;
  #files = [];
  // The last solution of the runs, with its reading: what an error leaves of them.
  #found = null;

  /**
   * @param {ArrayBuffer | Uint8Array | string} content
   * @param {ReadAs} [read]
   */
  constructor(content, { name = "problem", metric = "auto", open = false, fixed = [] } = {}) {
    this.loaded = new Promise((resolve, reject) => (this.#loading = { resolve, reject }));
    // Whoever does not ask for it is told by the run.
    this.loaded.catch(() => {});
    this.#worker.onmessage = ({ data }) => this.#take(data);
    this.#worker.onerror = ({ message }) => (this.#started ? this.#end(new Error(`The worker has failed: ${message}`)) : this.#notStarted(message));
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.#worker.postMessage({ type: "load", name, content: bytes, read: { metric: metricOf(metric), open, fixed } });
  }

  /** Whether the worker is gone. */
  get closed() {
    return this.#closed;
  }

  /**
   * Solves the problem from the beginning.
   * @param {RunOptions} [options]
   * @param {OnProgress} [onProgress]
   * @returns {Promise<Result>} It is rejected with an error; where the run had found something, `found` of the error is a `Result`.
   */
  solve({ seconds = null, iterations = null, device = "auto", settings = {} } = {}, onProgress = () => {}) {
    this.hasRun = true;
    return this.#begin({ type: "solve", asked: { iterations, device: deviceOf(device), settings }, seconds }, onProgress);
  }

  /**
   * Goes on with the run that has ended.
   * @param {{seconds?: number | null}} [options]
   * @param {OnProgress} [onProgress]
   * @returns {Promise<Result>}
   */
  goOn({ seconds = null } = {}, onProgress = () => {}) {
    return this.#begin({ type: "more", seconds }, onProgress);
  }

  /**
   * Stops the run after its turn. Called again, or before there is a solution (a set-up takes no message), it closes the session at once.
   */
  stop() {
    if (!this.#run) return;
    if (!this.#found || this.#run.stopping) return this.close();
    this.#run.stopping = true;
    this.#worker.postMessage({ type: "stop" });
  }

  /**
   * A solution as a file.
   * @param {string} kind One of the `forms` of what was loaded.
   * @param {Uint32Array} solution
   * @returns {Promise<Uint8Array>}
   */
  file(kind, solution) {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      this.#files.push({ resolve, reject });
      this.#worker.postMessage({ type: "file", kind, solution });
    });
  }

  /** Ends the worker, and what is waited for with an `AbortError`. */
  close() {
    this.#end(closed());
  }

  #begin(message, onProgress) {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      if (this.#run) return reject(new Error("a run is under way"));
      this.#run = { resolve, reject, onProgress, stopping: false };
      if (message.type === "solve") this.#found = null;
      this.#worker.postMessage(message);
    });
  }

  #take({ type, of, message, problem, content, ...result }) {
    if (this.#closed) return;
    this.#started = true;
    if (type === "loaded") this.#loading.resolve(problem);
    else if (type === "progress") this.#progress(result);
    else if (type === "ended") this.#ended(result);
    else if (type === "failed") this.#keep(result);
    else if (type === "file") this.#files.shift().resolve(content);
    else if (of === "file") this.#files.shift().reject(new Error(message));
    else if (of === "start") this.#notStarted(message);
    else if (of === "load") this.#end(new Error(message));
    else this.#failed(new Error(message));
  }

  #keep({ reading, solution, warnings = [] }) {
    if (reading && solution) this.#found = { reading, solution, warnings };
  }

  async #progress(result) {
    const [run, { reading, solution }] = [this.#run, result];
    this.#keep({ reading, solution });
    try {
      await run.onProgress(reading, solution);
    } catch (error) {
      if (this.#run === run) this.#end(error);
      // The run is over, so nobody else is told.
      else if (!this.#closed) reportError(error);
    } finally {
      if (solution) this.#worker.postMessage({ type: "drawn" });
    }
  }

  #ended(result) {
    this.#keep(result);
    this.#run.resolve(result);
    this.#run = null;
  }

  // Rejects the run with an error that has what was found.
  #failed(error) {
    if (this.#found && Object.isExtensible(error)) error.found = { ...this.#found, stopped: this.#run.stopping };
    this.#run.reject(error);
    this.#run = null;
  }

  async #notStarted(message) {
    const why = await whyNotStarted(message);
    this.#end(new Error(why));
  }

  #end(error) {
    if (this.#closed) return;
    this.#closed = true;
    this.#worker.terminate();
    for (const waits of [this.#loading, ...this.#files]) waits.reject(error);
    this.#files = [];
    if (this.#run) this.#failed(error);
  }
}

const closed = () => new DOMException("the session was closed", "AbortError");

// Why a worker did not start: of files that are not there the browser tells a page nothing.
async function whyNotStarted(message) {
  const isThere = async (file) => {
    const answer = await fetch(new URL(file, import.meta.url), { method: "HEAD" });
    return answer.ok && !(answer.headers.get("content-type") ?? "").includes("html");
  };
  for (const file of ["pkg/myrmex_web.js", "pkg/myrmex_web_bg.wasm"]) {
    if (!(await isThere(file).catch(() => true))) return `The page is not whole: ${file} is missing. Build it by 'bash web/build.sh', and serve all files of web/www.`;
  }
  return `The worker could not be started${message ? `: ${message}` : ": does the browser, or the page's Content-Security-Policy, allow workers that are modules?"}`;
}
