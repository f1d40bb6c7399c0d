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
  const text = h('p', { class: 'fault', role: 'alert' }, fault.message);
  if (!at) {
    scene.prepend(text);
    return;
  }
  at.append(text);
  const control = at.querySelector('input, select, textarea');
  if (!control) return;
  control.setAttribute('aria-invalid', 'true');
  if (fault.column && control instanceof HTMLInputElement && document.activeElement === control) {
    control.setSelectionRange(fault.column - 1, fault.column);
  }
}
