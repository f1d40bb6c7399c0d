// The answers of a page without a server: workers that run them in WebAssembly. A worker has one thread, and hears that a
// question is taken back only when its computation pauses: one that does not pause soon is ended, and another takes its place.
// @ts-check

/** @typedef {import('./api.js').Part} Part */
/** @typedef {{id: number, text: string, onPart: (p: Part) => void, resolve: () => void, reject: (e: Error) => void}} Question */
/** @typedef {{worker: Worker, ready: Promise<void>, asked: Map<number, Question|null>, last: string}} Helper asked has null for a question that was taken back and has not ended */

const patience = 150; // milliseconds that a worker has to hear that a question is taken back

/**
 * Loads and compiles the answers; they are packed, unless somebody on the way has unpacked them.
 * @param {(share: number|null) => void} onLoading
 */
export async function load(onLoading) {
  const answer = await fetch(new URL('playground.wasm.gz', import.meta.url));
  if (!answer.ok || !answer.body) throw new Error(`playground.wasm.gz: ${answer.status}`);
  const total = Number(answer.headers.get('Content-Length')) || 0;
  const coded = answer.headers.get('Content-Encoding');
  /** @type {BlobPart[]} */
  const pieces = [];
  let got = 0;
  let packed = false;
  for (const reader = answer.body.getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) break;
    if (got === 0) packed = value[0] === 0x1f && value[1] === 0x8b;
    pieces.push(value);
    got += value.length;
    onLoading(total && !coded ? got / total : null);
  }
  onLoading(null);
  const all = new Blob(pieces);
  return WebAssembly.compile(await (packed ? new Response(all.stream().pipeThrough(new DecompressionStream('gzip'))) : all).arrayBuffer());
}

export class Workers {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
    this.most = Math.min(Math.max(navigator.hardwareConcurrency || 2, 2), 3);
    /** @type {Helper[]} */
    this.helpers = [];
    this.counted = 0;
    this.stopped = 0;
  }

  /** @returns {Helper} */
  start() {
    const worker = new Worker(new URL('worker.js', import.meta.url));
    /** @type {Helper} */
    const helper = { worker, asked: new Map(), last: '', ready: Promise.resolve() };
    helper.ready = new Promise((ready, failed) => {
      worker.onerror = (e) => failed(new Error(e.message || 'the answers could not be started'));
      worker.onmessage = ({ data }) => {
        if (data.ready) ready(undefined);
        else if (data.failed) failed(new Error(data.failed));
        else this.hear(helper, data);
      };
    });
    helper.ready.catch(() => {}); // whoever asks hears of it
    worker.postMessage({ module: this.module });
    this.helpers.push(helper);
    return helper;
  }

  /** @param {Helper} helper @param {{id: number, part?: string, ended?: boolean}} data */
  hear(helper, { id, part, ended }) {
    const q = helper.asked.get(id);
    if (ended) helper.asked.delete(id);
    if (!q) return;
    if (part) q.onPart(JSON.parse(part));
    if (ended) q.resolve();
  }

  /** Who answers next: who knows the scene, else who is idle, else a new one while there are few. @param {string} scene @returns {Helper} */
  choose(scene) {
    const idle = this.helpers.filter((h) => h.asked.size === 0);
    const free = idle.find((h) => h.last === scene) ?? idle[0];
    if (free) return free;
    if (this.helpers.length < this.most) return this.start();
    return this.helpers.reduce((a, b) => (b.asked.size < a.asked.size ? b : a));
  }

  /** @param {Question} q @param {string} scene */
  async give(q, scene) {
    const helper = this.choose(scene);
    helper.last = scene;
    helper.asked.set(q.id, q);
    try {
      await helper.ready;
    } catch (e) {
      helper.asked.delete(q.id);
      q.reject(/** @type {Error} */ (e));
      return;
    }
    if (helper.asked.get(q.id) === q) helper.worker.postMessage({ id: q.id, request: q.text });
    else helper.asked.delete(q.id); // taken back before it was asked
  }

  /** @type {import('./api.js').Transport} */
  ask = (request, onPart, signal) => new Promise((resolve, reject) => {
    const scene = /** @type {any} */ (request).scene;
    /** @type {Question} */
    const q = { id: ++this.counted, text: JSON.stringify(request), onPart, resolve: () => resolve(undefined), reject };
    signal.addEventListener('abort', () => {
      reject(new DOMException('taken back', 'AbortError'));
      this.takeBack(q.id);
    });
    if (!signal.aborted) this.give(q, scene);
  });

  /** @param {number} id */
  takeBack(id) {
    const helper = this.helpers.find((h) => h.asked.get(id));
    if (!helper) return;
    helper.asked.set(id, null);
    helper.worker.postMessage({ id, cancel: true });
    setTimeout(() => { if (helper.asked.has(id)) this.stop(helper); }, patience);
  }

  /** Ends a worker that does not hear; what else it was asked is asked anew. @param {Helper} helper */
  stop(helper) {
    if (!this.helpers.includes(helper)) return;
    helper.worker.terminate();
    this.helpers = this.helpers.filter((h) => h !== helper);
    document.documentElement.dataset.stopped = String(++this.stopped); // for those who watch
    for (const q of helper.asked.values()) if (q) this.give(q, JSON.parse(q.text).scene);
    if (!this.helpers.length) this.start();
  }
}
