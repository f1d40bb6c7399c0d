// A kernel, as text and by sliders, and put together from others.
// @ts-check
import { h, fill, show, formula } from './dom.js';
import { slider, button } from './controls.js';
import { Completion } from './completion.js';

/** @typedef {{text: string, set?: Record<string, number>}} KernelText */
/** @typedef {{name: string, value: number, low: number|string, high: number|string, integer?: boolean, log?: boolean}} ParamFact */
/** @typedef {{text: string, params: ParamFact[]|null, properties: any[]}} KernelFacts */
/** @typedef {{name: string, formula: string, sample: string, domain?: string, params?: string[]}} KernelFact */

let editors = 0;

export class KernelEditor {
  /**
   * @param {{title?: string, field?: string, kernels: KernelFact[], algebra?: KernelFact[], value: KernelText, changed: () => void}} o
   */
  constructor(o) {
    this.o = o;
    const name = `kernel${++editors}`;
    this.text = h('input', { type: 'text', id: name, value: o.value.text, spellcheck: false, autocomplete: 'off', autocapitalize: 'off', class: 'code' });
    this.text.addEventListener('input', () => {
      o.value.text = this.text.value;
      delete o.value.set;
      o.changed();
    });
    this.completion = new Completion(this.text, [...o.kernels, ...(o.algebra ?? [])]);
    this.choice = h('select', { 'aria-label': `${o.title ?? 'Kernel'}: one to take, add or multiply` }, ...o.kernels.map((k) => h('option', { value: k.sample, title: k.formula }, k.name)));
    this.choice.value = o.kernels.find((k) => o.value.text.startsWith(`${k.name}(`))?.sample ?? o.kernels[0]?.sample;
    this.sliders = h('div', { class: 'sliders' });
    this.formula = h('p', { class: 'formula' });
    this.properties = h('dl', { class: 'readings small' });
    const compose = (/** @type {(text: string, other: string) => string} */ f) => () => this.replace(f(this.text.value, this.choice.value));
    this.choice.addEventListener('change', () => this.sayFormula());
    this.element = h('div', { class: 'kernel', 'data-field': o.field ?? 'kernel' },
      h('label', { for: name }, o.title ?? 'Kernel'), this.completion.element,
      h('div', { class: 'row' }, this.choice,
        button('take', compose((_, k) => k), 'Take this kernel in place of the text'),
        button('+', compose((t, k) => `${t} + ${k}`), 'Add this kernel to the text'),
        button('×', compose((t, k) => `${bracket(t)} * ${k}`), 'Multiply the text by this kernel'),
        button('½', compose((t) => `0.5 * ${bracket(t)}`), 'Half of the kernel'),
        button('²', compose((t) => `${bracket(t)}^2`), 'The kernel squared'),
        button('norm', compose((t) => `normalize(${t})`), 'Normalise: k(x, y)/√(k(x, x)·k(y, y))')),
      this.formula, this.sliders,
      h('details', {}, h('summary', {}, 'What is known of it'), this.properties));
    /** @type {string} the names that there are sliders for */
    this.shape = '';
    /** @type {Array<{set: (v: number) => void}>} */
    this.made = [];
    /** @type {ParamFact[]} */
    this.known = [];
    this.sayFormula();
  }

  sayFormula() {
    fill(this.formula, ...formula(this.o.kernels.find((k) => k.sample === this.choice.value)?.formula ?? ''));
  }

  /** @param {string} text */
  replace(text) {
    this.text.value = text;
    this.o.value.text = text;
    delete this.o.value.set;
    this.o.changed();
  }

  /** The length-scales as they are now: what a search would vary. */
  lengths() {
    return this.known.filter((p) => /lengthscale$/.test(p.name)).map((p) => ({ name: p.name, value: p.value }));
  }

  /**
   * Takes what the answer says: the text with the moved parameters, sliders for them, and what is known.
   * @param {KernelFacts} facts @param {boolean} [chosen] the kernel was chosen for the person, and is shown whatever the text was
   */
  accept(facts, chosen) {
    if ((this.o.value.set || (chosen && this.text.value !== facts.text)) && document.activeElement !== this.text) {
      this.text.value = facts.text;
      this.o.value.text = facts.text;
      delete this.o.value.set;
    }
    const params = facts.params ?? [];
    this.known = params;
    const shape = params.map((p) => p.name).join(' ');
    if (shape !== this.shape) {
      this.shape = shape;
      this.made = params.map((p) => slider({ label: label(p.name), value: p.value, ...ends(p), field: '', changed: (v) => {
        this.o.value.set = { ...this.o.value.set, [p.name]: v };
        this.o.changed();
      } }));
      const all = /** @type {any[]} */ (this.made).map((s) => s.element);
      fill(this.sliders, ...(all.length > 5 ? [h('details', {}, h('summary', {}, `${all.length} parameters`), ...all)] : all));
    } else params.forEach((p, i) => { if (this.o.value.set?.[p.name] === undefined) this.made[i].set(p.value); });
    fill(this.properties, ...facts.properties.flatMap((r) => [h('dt', {}, r.label), h('dd', { 'data-property': r.name }, r.text || show(r.value))]));
  }
}

/** A sum needs brackets before it is multiplied. @param {string} text */
const bracket = (text) => (/[+]/.test(text.replace(/\([^()]*\)/g, '')) ? `(${text})` : text);

/** gaussian#2.lengthscale → lengthscale (gaussian 2). @param {string} name */
function label(name) {
  const [owner, field] = name.split('.');
  return field ? `${field} (${owner.replace('#', ' ')})` : name;
}

/** The ends of a slider: some powers of ten around the value, within the domain. @param {ParamFact} p */
function ends(p) {
  const low = typeof p.low === 'number' ? p.low : -Infinity;
  const high = typeof p.high === 'number' ? p.high : Infinity;
  if (p.integer) return { low: Math.max(low, 1), high: Math.min(high, Math.max(12, 2 * p.value)), integer: true };
  if (low >= 0 && high === Infinity) {
    const middle = 10 ** Math.round(Math.log10(p.value || 1));
    return { low: middle / 100, high: middle * 100, log: true };
  }
  if (Number.isFinite(low) && Number.isFinite(high)) return { low, high };
  const size = Math.max(2 * Math.abs(p.value), 3);
  return { low: Math.max(low, -size), high: Math.min(high, size) };
}
