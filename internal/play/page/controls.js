// Sliders, menus and switches.
// @ts-check
import { h } from './dom.js';

let made = 0;
const id = () => `c${++made}`;

/** Three digits are what a hand on a slider means. @param {number} v */
export const round = (v) => Number(v.toPrecision(3));

/** A number in a field, short enough to be seen: 1e-6, not 0.000001. @param {number} v */
const inField = (v) => (v !== 0 && Math.abs(v) < 1e-3 ? Number(v.toPrecision(6)).toExponential() : String(Number(v.toPrecision(10))));

/**
 * A slider with a field for the number itself, which may go beyond the slider's ends.
 * @param {{label: string, value: number, low: number, high: number, log?: boolean, integer?: boolean, field?: string, changed: (v: number) => void}} o
 */
export function slider(o) {
  const steps = o.integer && !o.log ? o.high - o.low : 1000;
  const toPlace = (/** @type {number} */ v) => steps * (o.log ? Math.log(Math.max(v, 1e-300) / o.low) / Math.log(o.high / o.low) : (v - o.low) / (o.high - o.low));
  const toValue = (/** @type {number} */ p) => {
    const v = o.log ? o.low * (o.high / o.low) ** (p / steps) : o.low + ((o.high - o.low) * p) / steps;
    return o.integer ? Math.round(v) : round(v);
  };
  const name = id();
  const range = h('input', { type: 'range', min: '0', max: String(steps), step: '1', id: name, value: String(Math.round(toPlace(o.value))), 'aria-valuetext': String(o.value) });
  const number = h('input', { type: 'number', step: 'any', value: inField(o.value), 'aria-label': o.label });
  const set = (/** @type {number} */ v) => {
    range.value = String(Math.round(toPlace(v)));
    range.setAttribute('aria-valuetext', String(v));
    if (document.activeElement !== number) number.value = inField(v);
  };
  range.addEventListener('input', () => {
    const v = toValue(Number(range.value));
    set(v);
    o.changed(v);
  });
  number.addEventListener('input', () => {
    const v = number.valueAsNumber;
    if (!Number.isFinite(v)) return; // half a number
    set(v);
    o.changed(v);
  });
  const element = h('div', { class: 'slider', 'data-field': o.field ?? '' }, h('label', { for: name }, o.label), range, number);
  return { element, set };
}

/**
 * A menu.
 * @param {{label: string, value: string, options: Array<[string, string]>, field?: string, changed: (v: string) => void}} o
 */
export function menu(o) {
  const name = id();
  const select = h('select', { id: name, onchange: () => o.changed(select.value) }, ...o.options.map(([value, text]) => h('option', { value }, text)));
  select.value = o.value;
  const element = h('div', { class: 'menu', 'data-field': o.field ?? '' }, h('label', { for: name }, o.label), select);
  return { element, select };
}

/**
 * A switch.
 * @param {{label: string, value: boolean, field?: string, changed: (v: boolean) => void}} o
 */
export function toggle(o) {
  const name = id();
  const box = h('input', { type: 'checkbox', id: name, checked: o.value, onchange: () => o.changed(box.checked) });
  return { element: h('div', { class: 'toggle', 'data-field': o.field ?? '' }, box, h('label', { for: name }, o.label)), box };
}

/** @param {string} text @param {() => void} act @param {string} [title] */
export const button = (text, act, title) => h('button', { type: 'button', onclick: act, title: title ?? '' }, text);

/**
 * A line of text.
 * @param {{label: string, value: string, field?: string, rows?: number, changed: (v: string) => void}} o
 */
export function text(o) {
  const name = id();
  const input = o.rows
    ? h('textarea', { id: name, rows: o.rows, value: o.value, spellcheck: false, oninput: () => o.changed(input.value) })
    : h('input', { type: 'text', id: name, value: o.value, spellcheck: false, autocomplete: 'off', oninput: () => o.changed(input.value) });
  return { element: h('div', { class: 'text', 'data-field': o.field ?? '' }, h('label', { for: name }, o.label), input), input };
}

/**
 * The sliders and switches of a learner's settings.
 * @param {Array<{name: string, label: string, default: number, low: number, high: number, log?: boolean, integer?: boolean, switch?: boolean}>} settings
 * @param {Record<string, number>} values
 * @param {(name: string, v: number) => void} changed
 * @returns {HTMLElement[]}
 */
export function settingControls(settings, values, changed) {
  return (settings ?? []).map((s) => {
    const value = values[s.name] ?? s.default;
    if (s.switch) return toggle({ label: s.label, value: value !== 0, field: `params.${s.name}`, changed: (v) => changed(s.name, v ? 1 : 0) }).element;
    return slider({ label: s.label, value, low: s.low, high: s.high, log: s.log, integer: s.integer, field: `params.${s.name}`, changed: (v) => changed(s.name, v) }).element;
  });
}

/** A part of the panel with a heading. @param {string} title @param {...any} children */
export const section = (title, ...children) => h('section', {}, h('h2', {}, title), ...children);
