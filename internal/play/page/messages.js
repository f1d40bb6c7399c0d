// What went wrong, said where the person looks: beside the setting that is at fault, else above the scene.
// @ts-check
import { h } from './dom.js';

/** @typedef {{field?: string, column?: number, code?: string, message: string}} Fault */

/**
 * Shows a message above the scene; nothing takes it away.
 * @param {string} text
 * @param {string} [label] of a button
 * @param {() => void} [act]
 */
export function showMessage(text, label, act) {
  const e = /** @type {HTMLElement} */ (document.getElementById('message'));
  e.hidden = text === '';
  e.replaceChildren(text);
  if (label && act) e.append(' ', h('button', { type: 'button', onclick: () => { showMessage(''); act(); } }, label));
}

/**
 * Shows a fault at the element whose data-field names its setting, nearest first: params.C, then params.
 * @param {Element} scene
 * @param {Fault|null} fault
 */
export function showFault(scene, fault) {
  for (const e of scene.querySelectorAll('.fault')) e.remove();
  for (const e of scene.querySelectorAll('[aria-invalid]')) e.removeAttribute('aria-invalid');
  scene.classList.toggle('stale', fault !== null);
  if (!fault) return;
  let at = null;
  for (let field = fault.field ?? ''; field && !at; field = field.includes('.') ? field.slice(0, field.lastIndexOf('.')) : '') {
    at = scene.querySelector(`[data-field="${CSS.escape(field)}"]`);
  }
  const control = at?.querySelector('input, select, textarea') ?? null;
  // Who is still typing hears of it when he pauses; the text, its cursor and its selection are his.
  const typing = control !== null && document.activeElement === control;
  const text = h('p', { class: 'fault', role: typing ? 'status' : 'alert' }, fault.message.replace(/; known: .*/s, '')); // the menu has them
  if (!at) {
    scene.prepend(text);
    return;
  }
  const holder = control?.closest('.completion');
  if (holder) holder.after(text);
  else at.append(text);
  if (!control) return;
  control.setAttribute('aria-invalid', 'true');
  if (fault.column && control instanceof HTMLInputElement && control.type === 'text') text.append(place(control.value, fault.column));
}

/**
 * The part of a text around a character, which is marked: a copy, for the text itself belongs to whoever types it.
 * @param {string} text @param {number} column counted from 1, in characters; behind the end where something is missing
 */
function place(text, column) {
  const all = [...text];
  const part = (/** @type {number} */ from, /** @type {number} */ to) => all.slice(Math.max(from, 0), to).join('');
  const from = column - 19;
  const to = column + 12;
  return h('code', { class: 'place', 'aria-hidden': 'true' }, from > 0 ? '…' : '', part(from, column - 1), h('mark', {}, all[column - 1] ?? '\u00a0'), part(column, to), to < all.length ? '…' : '');
}
