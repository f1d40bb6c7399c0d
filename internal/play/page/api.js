// Questions and answers: to the server that sent the page, or to the same code in a worker.
// @ts-check
import { Workers, load } from './workers.js';

/** @typedef {import('./messages.js').Fault} Fault */
/** @typedef {{stage?: string, value?: any, fault?: Fault, done?: boolean}} Part */
/** @typedef {(request: object, onPart: (p: Part) => void, signal: AbortSignal) => Promise<void>} Transport */

const page = Math.random().toString(36).slice(2);
let counted = 0;

/** @type {Transport} */
async function overServer(request, onPart, signal) {
  const answer = await fetch('api', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(request), signal });
  if (!answer.ok || !answer.body) throw Object.assign(new Error((await answer.text()) || `the server said ${answer.status}`), { status: answer.status });
  const lines = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await lines.read();
    if (done) return;
    const cut = (rest + value).split('\n');
    rest = cut.pop() ?? '';
    for (const line of cut) if (line) onPart(JSON.parse(line));
  }
}

/** @type {Transport} */
let transport = overServer;

/** Who answers: the server that sent the page, or a worker of it. */
export const answered = () => (transport === overServer ? 'server' : 'worker');

/**
 * Finds out who answers, and loads the answers where nobody does.
 * @param {(share: number|null) => void} onLoading
 */
export async function start(onLoading) {
  const said = document.querySelector('meta[name="mercer-answers"]')?.getAttribute('content');
  if (said !== 'worker') {
    try {
      return await once('catalogue', {});
    } catch (e) {
      const status = /** @type {any} */ (e).status;
      if (status !== 404 && status !== 405 && status !== 501) throw e; // only a site without a server has no such page
    }
  }
  const workers = new Workers(await load(onLoading));
  await workers.start().ready;
  transport = workers.ask;
  return once('catalogue', {});
}

/**
 * Asks once, for an answer of one part.
 * @param {string} scene
 * @param {Record<string, any>} fields
 * @returns {Promise<any>}
 */
export async function once(scene, fields) {
  /** @type {any} */
  let value;
  /** @type {Fault|undefined} */
  let fault;
  await transport({ scene, fields }, (p) => {
    fault ??= p.fault;
    if (p.value !== undefined) value = p.value;
  }, new AbortController().signal);
  if (fault) throw Object.assign(new Error(fault.message), { fault });
  return value;
}

/**
 * Asks the questions of one scene, of which only the last counts. A question that has not been answered at all is not
 * taken back: its first part is awaited, so that a slider in motion shows something, and the newest question follows.
 */
export class Asker {
  /** @param {string} scene @param {(p: Part) => void} onPart @param {(e: Error) => void} onLost */
  constructor(scene, onPart, onLost) {
    this.scene = scene;
    this.onPart = onPart;
    this.onLost = onLost;
    /** @type {{number: number, fields: Record<string, string>}|null} */
    this.known = null;
    /** @type {AbortController|null} */
    this.running = null;
    this.answered = false;
    /** @type {Record<string, any>|null} */
    this.next = null;
    this.ended = false;
  }

  /** @param {Record<string, any>} fields */
  ask(fields) {
    if (this.ended) return;
    this.next = fields;
    if (this.running && this.answered) this.running.abort();
    if (!this.running || this.answered) this.send();
  }

  /** Whether an answer is on its way. */
  get busy() {
    return this.running !== null || this.next !== null;
  }

  /** Takes back what is asked: there is nothing to ask any more. */
  drop() {
    this.next = null;
    const running = this.running;
    this.running = null;
    running?.abort();
  }

  end() {
    this.ended = true;
    this.next = null;
    this.running?.abort();
  }

  /** @param {boolean} [all] */
  async send(all) {
    const fields = this.next;
    if (!fields) return;
    this.next = null;
    this.answered = false;
    const control = new AbortController();
    this.running = control;
    const number = ++counted;
    const texts = Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined && v !== null).map(([k, v]) => [k, JSON.stringify(v)]));
    const base = all ? null : this.known;
    const send = base ? difference(base.fields, texts) : texts;
    const began = performance.now();
    let again = false;
    try {
      await transport({ scene: this.scene, page, number, base: base?.number ?? 0, fields: Object.fromEntries(Object.entries(send).map(([k, v]) => [k, JSON.parse(v)])) }, (p) => {
        if (this.running !== control) return;
        if (p.fault?.code === 'forgotten') {
          again = true;
          return;
        }
        if (!this.answered) {
          this.answered = true;
          this.known = { number, fields: texts };
        }
        const measured = `mercer:${this.scene}:${p.stage ?? 'end'}`; // for those who watch; only the last of each is kept
        const measure = (/** @type {string} */ what) => {
          performance.clearMeasures(what);
          performance.measure(what, { start: began, end: performance.now() });
        };
        measure(measured);
        this.onPart(p);
        requestAnimationFrame(() => measure(`${measured}:drawn`)); // plots draw in the frame that they asked for in onPart
        if (this.next) {
          control.abort();
          this.send();
        }
      }, control.signal);
    } catch (e) {
      if (/** @type {any} */ (e).name !== 'AbortError' && this.running === control && !this.ended) this.onLost(/** @type {Error} */ (e));
    }
    if (this.running !== control) return;
    this.running = null;
    if (again) {
      this.known = null;
      this.next ??= fields;
      this.send(true);
    } else if (this.next) this.send();
  }
}

/**
 * Fields that differ from the base; null for those that are gone.
 * @param {Record<string, string>} base
 * @param {Record<string, string>} fields
 */
export function difference(base, fields) {
  /** @type {Record<string, string>} */
  const out = {};
  for (const [name, text] of Object.entries(fields)) if (base[name] !== text) out[name] = text;
  for (const name of Object.keys(base)) if (!(name in fields)) out[name] = 'null';
  return out;
}
