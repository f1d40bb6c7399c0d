// What scenes have in common: a panel beside the pictures, settings that are saved, and one question at a time.
// @ts-check
import { h, showReadings, speak, show } from './dom.js';
import { Asker } from './api.js';
import { settle } from './state.js';
import { showFault } from './messages.js';
import { Plot } from './plot.js';

/** @typedef {import('./main.js').Env} Env */
/** @typedef {import('./api.js').Part} Part */

export class Frame {
  /**
   * @param {HTMLElement} root @param {Env} env @param {Record<string, any>} defaults
   */
  constructor(root, env, defaults) {
    this.root = root;
    this.env = env;
    this.catalogue = env.catalogue;
    this.settings = settle(defaults, env.settings);
    this.panel = h('aside', { class: 'panel', 'aria-label': 'Settings' });
    this.pictures = h('div', { class: 'pictures' });
    this.readings = h('dl', { class: 'readings', 'aria-label': 'Numbers' });
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
      else onDone?.();
      this.root.dataset.settled = String(Number(this.root.dataset.settled ?? 0) + 1);
    }, this.env.lost);
    this.askers.push(a);
    return a;
  }

  /** Shows numbers, new ones in place of old ones of the same name. @param {any[]} readings @param {boolean} [fresh] without those that were there */
  read(readings, fresh = false) {
    if (fresh) this.numbers.clear();
    for (const r of readings ?? []) this.numbers.set(r.name, r);
    showReadings(this.readings, [...this.numbers.values()]);
    speak((readings ?? []).slice(0, 3).map((r) => `${r.label} ${r.text || show(r.value, 3)}`).join(', '));
  }

  /** @param {string[]|undefined} warnings */
  warn(warnings) {
    this.warnings.replaceChildren(...(warnings ?? []).map((w) => h('p', { class: 'warning' }, w)));
  }

  save() {
    this.env.save(this.settings);
  }

  end() {
    window.removeEventListener('resize', this.repaint);
    for (const a of this.askers) a.end();
    for (const p of this.plots) p.end();
  }
}
