// Lets WebAssembly wait for the browser's GPU, whose answers come from the event loop: the module is suspended until then (JavaScript
// Promise Integration). The module imports all of this; where the browser cannot suspend it computes on the CPU.

const possible = "Suspending" in WebAssembly;
let wake = () => {};

export const can_suspend = () => Number(possible);

const wait = () => new Promise((resolve) => {
  wake = resolve;
});
const impossible = () => {
  throw new Error("this browser cannot suspend WebAssembly");
};
export const suspend = possible ? new WebAssembly.Suspending(wait) : impossible;

export const resume = () => wake();

// An export that may suspend, as a function with a promise.
export const promising = (call) => (possible ? WebAssembly.promising(call) : async (...given) => call(...given));
