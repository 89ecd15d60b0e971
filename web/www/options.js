// The options of the page: what is asked for, and where it can run.

const element = (id) => document.getElementById(id);

export const OPTIONS = ["seconds", "iterations", "algorithm", "open", "metric", "device", "seed"];

async function lookForGpu() {
  if (!isSecureContext) return "This page came by plain HTTP: browsers offer the GPU only to pages by HTTPS, or from localhost.";
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

// The number in a field, in a range; `null` where it may be empty and is.
function field(id, name, { least, most, whole = true, empty = false }) {
  const text = element(id).value.trim();
  if (empty && text === "" && !element(id).validity.badInput) return null;
  const value = Number(text);
  const right = text !== "" && value >= least && value <= most && (!whole || Number.isSafeInteger(value));
  if (!right) throw new RangeError(`${name}: ${whole ? "a whole number" : "a number"} from ${least} to ${most} is needed.`);
  return value;
}

// How a file is to be read.
export const readAs = () => ({ metric: element("metric").value, open: element("open").value === "open" });

export const seconds = () => field("seconds", "Seconds", { least: 0.1, most: 86400, whole: false });

// What is asked of a run.
export function asked() {
  const device = element("device").value;
  return {
    device,
    seconds: seconds(),
    iterations: field("iterations", "Iterations", { least: 1, most: 4294967295, empty: true }),
    settings: {
      algorithm: element("algorithm").value,
      seed: field("seed", "Seed", { least: 0, most: Number.MAX_SAFE_INTEGER }),
      // What `auto` stands for goes on on the CPU when the GPU fails; a GPU that was asked for does not.
      on_device_lost: device === "auto" ? "cpu" : "stop",
    },
  };
}
