// What scenes have in common: a panel beside the pictures, settings that are saved, and one question at a time.
// @ts-check
import { h, showReadings, speak, show } from './dom.js';
import { Asker } from './api.js';
import { settle, differing, digitsOf } from './state.js';
import { showFault } from './messages.js';
import { Plot } from './plot.js';

/** @typedef {import('./main.js').Env} Env */
/** @typedef {import('./api.js').Part} Part */

/** Numbers that say how exactly an answer was found, and not what it is: they stand behind the others. */
const certificates = new Set(['certificate', 'duality-gap', 'psd', 'least-eigenvalue', 'largest-eigenvalue', 'residual', 'effective']);

export class Frame {
  /**
   * @param {HTMLElement} root @param {Env} env @param {Record<string, any>} defaults
   */
  constructor(root, env, defaults) {
    this.root = root;
    this.env = env;
    this.catalogue = env.catalogue;
    this.defaults = defaults;
    this.viewed = false;
    this.settings = settle(defaults, env.settings);
    this.panel = h('aside', { class: 'panel', 'aria-label': 'Settings' });
    this.pictures = h('div', { class: 'pictures' });
    this.plain = h('dl', { class: 'readings', 'aria-label': 'Numbers' });
    this.exact = h('dl', { class: 'readings', 'aria-label': 'Certificates' });
    this.certificates = h('details', { hidden: true }, h('summary', {}, 'Certificates'), this.exact);
    this.readings = h('div', {}, this.plain, this.certificates);
    this.warnings = h('div', { class: 'warnings' });
    /** @type {Map<string, any>} */
    this.numbers = new Map();
    root.append(this.pictures, this.panel);
    /** @type {Plot[]} */
    this.plots = [];
    /** @type {Asker[]} */
    this.askers = [];
    this.repaint = () => this.plots.forEach((p) => p.resize());
    window.addEventListener('resize', this.repaint);
  }

  /** @param {ConstructorParameters<typeof Plot>[0]} o */
  plot(o) {
    const p = new Plot(o);
    this.plots.push(p);
    return p;
  }

  /** @param {Plot[]} plots */
  drop(plots) {
    for (const p of plots) p.end();
    this.plots = this.plots.filter((p) => !plots.includes(p));
  }

  /**
   * Someone to ask; parts go to onPart, what is wrong is shown where it is.
   * @param {string} scene @param {(stage: string, value: any) => void} onPart @param {() => void} [onDone]
   */
  asker(scene, onPart, onDone) {
    const a = new Asker(scene, (/** @type {Part} */ p) => {
      if (p.stage) {
        showFault(this.root, null);
        onPart(p.stage, p.value);
      }
      if (!p.done) return;
      if (p.fault) showFault(this.root, p.fault);
      else {
        this.readAll();
        onDone?.();
      }
      this.root.dataset.settled = String(Number(this.root.dataset.settled ?? 0) + 1);
    }, this.env.lost);
    this.askers.push(a);
    return a;
  }

  /**
   * Shows numbers, new ones in place of old ones of the same name. Fresh ones leave those that were there their places until the
   * answer ends: what stands below, a list of offers for example, does not move under somebody's hand while numbers come in.
   * @param {any[]} readings @param {boolean} [fresh] in place of all that were there
   */
  read(readings, fresh = false) {
    const old = fresh ? [...this.numbers.values()] : [];
    if (fresh) this.numbers.clear();
    for (const r of readings ?? []) this.numbers.set(r.name, r);
    for (const r of old) if (!this.numbers.has(r.name)) this.numbers.set(r.name, { ...r, coming: true });
    this.showNumbers();
    speak((readings ?? []).slice(0, 3).map((r) => `${r.label} ${r.text || show(r.value, 3)}`).join(', '));
  }

  /** Ends the waiting for numbers that did not come. */
  readAll() {
    for (const r of [...this.numbers.values()]) if (r.coming) this.numbers.delete(r.name);
    this.showNumbers();
  }

  showNumbers() {
    const all = [...this.numbers.values()];
    const exact = all.filter((r) => certificates.has(r.name) && !(r.name === 'psd' && r.text !== 'yes')); // what is wrong is no detail
    showReadings(this.plain, all.filter((r) => !exact.includes(r)));
    showReadings(this.exact, exact);
    this.certificates.hidden = exact.length === 0;
  }

  /** @param {string[]|undefined} warnings */
  warn(warnings) {
    this.warnings.replaceChildren(...(warnings ?? []).map((w) => h('p', { class: 'warning' }, w)));
  }

  save() {
    this.env.save(differing(this.defaults, this.settings));
  }

  /**
   * The part of the plane that is shown: what the address says when the scene opens, and what new points need later.
   * @param {import('./plot.js').Window} needed
   * @returns {import('./plot.js').Window}
   */
  view(needed) {
    const given = this.settings.window;
    const good = given && given.x0 < given.x1 && given.y0 < given.y1;
    if (!this.viewed && good) needed = { x0: given.x0, x1: given.x1, y0: given.y0, y1: given.y1 };
    else this.settings.window = null;
    this.viewed = true;
    return needed;
  }

  /** Points were changed by hand, and may leave the view: the address keeps it. @param {import('./plot.js').Window} window */
  keepView(window) {
    const [dx, dy] = [digitsOf(window.x1 - window.x0), digitsOf(window.y1 - window.y0)];
    this.settings.window = { x0: Number(window.x0.toFixed(dx)), x1: Number(window.x1.toFixed(dx)), y0: Number(window.y0.toFixed(dy)), y1: Number(window.y1.toFixed(dy)) };
  }

  /**
   * Whether there is too little to ask: then it says so in the picture, and nothing of an earlier answer stays.
   * @param {Plot[]} plots @param {string} text what is lacking; empty: nothing is @param {() => void} blank forgets what was drawn
   */
  lacks(plots, text, blank) {
    plots[0].say(text);
    if (!text) return false;
    for (const a of this.askers) a.drop();
    showFault(this.root, null);
    this.numbers.clear();
    this.showNumbers();
    this.warn([]);
    blank();
    for (const p of plots) p.refresh();
    this.root.dataset.settled = String(Number(this.root.dataset.settled ?? 0) + 1);
    return true;
  }

  end() {
    window.removeEventListener('resize', this.repaint);
    for (const a of this.askers) a.end();
    for (const p of this.plots) p.end();
  }
}
