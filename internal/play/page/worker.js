// A worker of a page without a server: it runs the answers, which the page has compiled from
// WebAssembly.
/* global Go, importScripts */
importScripts('wasm_exec.js');

// The first message brings the answers; from then on they listen themselves.
self.onmessage = async ({ data }) => {
  try {
    const go = new Go();
    await go.run(await WebAssembly.instantiate(data.module, go.importObject));
  } catch (e) {
    self.postMessage({ failed: String(e.message || e) });
  }
};
