// What the page says of a problem and its run.

const number = (value) => {
  const digits = Math.abs(value) < 1 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: Math.abs(value) < 1000 ? 3 : 0 };
  return value.toLocaleString(undefined, digits);
};
export const size = ({ size, parts }) => `${number(size)} ${size === 1 ? { cities: "city", facilities: "facility" }[parts] : parts}`;

// How far a run is, or what it has found.
export function told(problem, { length, iterations, seconds, device, backend, device_lost: lost, no_gpu: noGpu }) {
  const what = problem.kind === "qap" ? "Cost" : "Length";
  const unit = problem.unit ? ` ${problem.unit}` : "";
  const cpu = lost ? `; the GPU failed: ${lost.message}` : noGpu ? `, since ${noGpu}` : "";
  const where = backend === "cpu" ? `on the CPU${cpu}` : `on the GPU (${device || "WebGPU"})`;
  return `${what} ${number(length)}${unit} after ${seconds.toFixed(1)} s and ${number(iterations)} iterations, ${where}.`;
}

// What a file was taken for.
export const loaded = (problem) => `${problem.name}: ${size(problem)}, ${problem.measured}${problem.kind === "qap" || problem.layout ? "" : ", without places to draw"}.`;
