// Names of kernels and of their parameters, offered below the text while it is typed. What is offered is only taken when
// somebody takes it: by a click, or by an arrow key and Enter.
// @ts-check
import { h, fill } from './dom.js';

/** @typedef {{name: string, formula: string, params?: string[]}} Name */
/** @typedef {{insert: string, label: string, hint: string, back: number}} Offer insert takes the place of the word; back is how far the cursor goes back after it */

const most = 8;
let made = 0;

/**
 * What could stand where the cursor is.
 * @param {string} before the text up to the cursor @param {string} after the rest of it @param {Name[]} names
 * @returns {Offer[]}
 */
export function offers(before, after, names) {
  const word = /[a-z][a-z0-9]*$/i.exec(before)?.[0] ?? '';
  const head = before.slice(0, before.length - word.length);
  const call = enclosing(head);
  const owner = call && names.find((n) => n.name === call.name);
  const last = head.trimEnd().slice(-1);
  /** @type {Offer[]} */
  const out = [];
  if (owner && (last === '(' || last === ',')) {
    const given = new Set(call.given);
    for (const p of owner.params ?? []) if (!given.has(p)) out.push({ insert: after.startsWith('=') ? p : `${p}=`, label: p, hint: owner.name, back: 0 });
  }
  // A kernel stands where an expression may: not where a parameter of a plain kernel has to.
  const inner = owner ? owner.params?.includes('kernel') : call !== null && call.name === '';
  if (call === null || inner || !['(', ','].includes(last)) {
    if (word) for (const n of names) out.push(after.startsWith('(') ? { insert: n.name, label: n.name, hint: n.formula, back: 0 } : { insert: `${n.name}()`, label: n.name, hint: n.formula, back: 1 });
  }
  const low = word.toLowerCase();
  const fits = out.filter((o) => o.label.toLowerCase().includes(low)).sort((a, b) => Number(b.label.toLowerCase().startsWith(low)) - Number(a.label.toLowerCase().startsWith(low)));
  return fits.length === 1 && fits[0].label === word ? [] : fits.slice(0, most);
}

/**
 * The call whose brackets are open at the end of a text, with the parameters that it has already; null for none.
 * @param {string} text
 * @returns {{name: string, given: string[]}|null}
 */
function enclosing(text) {
  let depth = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    if (text[i] === ')' || text[i] === ']') depth++;
    else if (text[i] === '(' || text[i] === '[') {
      if (depth-- > 0) continue;
      return { name: /[a-z][a-z0-9]*$/i.exec(text.slice(0, i))?.[0] ?? '', given: [...text.slice(i + 1).matchAll(/([a-z][a-z0-9]*)\s*=/gi)].map((m) => m[1]) };
    }
  }
  return null;
}

export class Completion {
  /** @param {HTMLInputElement} input @param {Name[]} names */
  constructor(input, names) {
    this.input = input;
    this.names = names.filter((n) => /^[a-z]/i.test(n.name)); // signs are typed
    this.id = `offers${++made}`;
    /** @type {Offer[]} */
    this.shown = [];
    this.at = -1;
    this.list = h('ul', { id: this.id, role: 'listbox', 'aria-label': 'Names that fit', hidden: true });
    this.element = h('div', { class: 'completion' }, input, this.list);
    for (const [name, value] of [['role', 'combobox'], ['aria-autocomplete', 'list'], ['aria-expanded', 'false'], ['aria-controls', this.id]]) input.setAttribute(name, value);
    input.addEventListener('input', () => this.offer());
    input.addEventListener('keydown', (e) => this.key(e));
    input.addEventListener('blur', () => this.close());
  }

  offer() {
    const at = this.input.selectionStart ?? 0;
    this.shown = at === this.input.selectionEnd ? offers(this.input.value.slice(0, at), this.input.value.slice(at), this.names) : [];
    this.at = -1;
    this.draw();
  }

  close() {
    this.shown = [];
    this.at = -1;
    this.draw();
  }

  draw() {
    const open = this.shown.length > 0;
    this.list.hidden = !open;
    this.input.setAttribute('aria-expanded', String(open));
    if (this.at >= 0) this.input.setAttribute('aria-activedescendant', `${this.id}-${this.at}`);
    else this.input.removeAttribute('aria-activedescendant');
    fill(this.list, ...this.shown.map((o, i) => h('li', {
      id: `${this.id}-${i}`, role: 'option', 'aria-selected': String(i === this.at), title: o.hint,
      onpointerdown: (/** @type {Event} */ e) => { e.preventDefault(); this.take(i); }, // before the input loses the focus
    }, h('span', { class: 'code' }, o.label), h('span', { class: 'hint' }, o.hint))));
    this.list.children[this.at]?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    if (!this.shown.length) return;
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      const n = this.shown.length;
      this.at = e.key === 'ArrowDown' ? (this.at + 1) % n : (this.at <= 0 ? n : this.at) - 1;
      this.draw();
    } else if ((e.key === 'Enter' || e.key === 'Tab') && this.at >= 0) this.take(this.at);
    else if (e.key === 'Escape') this.close();
    else return;
    e.preventDefault();
  }

  /** Puts a name in place of the word before the cursor. @param {number} i */
  take(i) {
    const o = this.shown[i];
    const at = this.input.selectionStart ?? 0;
    const word = /[a-z][a-z0-9]*$/i.exec(this.input.value.slice(0, at))?.[0] ?? '';
    this.input.setRangeText(o.insert, at - word.length, at, 'end');
    if (o.back) this.input.setSelectionRange(this.input.selectionEnd === null ? 0 : this.input.selectionEnd - o.back, (this.input.selectionEnd ?? 0) - o.back);
    this.close();
    this.input.dispatchEvent(new Event('input', { bubbles: true }));
  }
}
