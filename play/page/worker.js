// The worker of a page without a server: it loads the answers, compiled to WebAssembly, and runs them.
/* global Go, importScripts */
importScripts('wasm_exec.js');

async function load() {
  const answer = await fetch('playground.wasm');
  if (!answer.ok || !answer.body) throw new Error(`playground.wasm: ${answer.status}`);
  const total = Number(answer.headers.get('Content-Length')) || 0;
  const coded = answer.headers.get('Content-Encoding');
  const pieces = [];
  let got = 0;
  for (const reader = answer.body.getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) break;
    pieces.push(value);
    got += value.length;
    self.postMessage({ loading: total && !coded ? got / total : null });
  }
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(await new Blob(pieces).arrayBuffer(), go.importObject);
  await go.run(instance);
}

load().catch((e) => self.postMessage({ failed: String(e.message || e) }));
