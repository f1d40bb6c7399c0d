// The worker of a page without a server: it loads the answers, compiled to WebAssembly, and runs them.
/* global Go, importScripts */
importScripts('wasm_exec.js');

/** The answers are packed, unless somebody on the way has unpacked them. @param {Uint8Array[]} pieces */
async function unpacked(pieces) {
  const first = pieces[0] ?? new Uint8Array();
  const all = new Blob(pieces);
  if (first[0] !== 0x1f || first[1] !== 0x8b) return all.arrayBuffer();
  return new Response(all.stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

async function load() {
  const answer = await fetch('playground.wasm.gz');
  if (!answer.ok || !answer.body) throw new Error(`playground.wasm.gz: ${answer.status}`);
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
  self.postMessage({ loading: null }); // the browser compiles
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(await unpacked(pieces), go.importObject);
  await go.run(instance);
}

load().catch((e) => self.postMessage({ failed: String(e.message || e) }));
