// Guide: eight steps from "a kernel is a similarity" to kernels on anything. Each is a scene with a task and something to find.
// @ts-check
import { h, fill } from '../dom.js';
import { button } from '../controls.js';
import { settle } from '../state.js';
import { steps } from './guide-steps.js';

export const name = 'guide';
export const title = 'Guide';

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const given = { ...(env.settings ?? {}) };
  let at = Math.min(Math.max(Math.round(settle({ step: 1 }, given).step), 1), steps.length);
  delete given.step;
  root.className = 'guide';
  /** @type {{end: () => void}} */
  let shown = { end: () => {} };
  const go = (/** @type {number} */ to) => {
    at = to;
    env.save({ step: at });
    show(null);
    root.querySelector('h1')?.focus();
    window.scrollTo(0, 0);
  };
  /** @param {Record<string, any>|null} settings what the person has made of the step; null: as it begins */
  const show = (settings) => {
    const step = steps[at - 1];
    shown.end();
    const inner = h('div', { class: `scene ${step.scene}`, 'data-scene': step.scene });
    fill(root,
      h('nav', { class: 'steps', 'aria-label': 'Steps of the guide' }, ...steps.map((s, i) => h('a', { href: `#/guide?step=${i + 1}`, 'aria-current': i + 1 === at ? 'step' : undefined, title: s.title, onclick: (/** @type {Event} */ e) => { e.preventDefault(); go(i + 1); } }, String(i + 1), h('span', { class: 'unseen' }, `: ${s.title}`)))),
      h('section', { class: 'lesson', 'data-step': at },
        h('h1', { tabIndex: -1 }, `${at}. ${step.title}`), h('p', {}, step.text),
        h('p', { class: 'task' }, h('strong', {}, 'Try: '), step.task),
        h('details', {}, h('summary', {}, 'What to find'), h('p', {}, step.find)),
        h('div', { class: 'row' }, at > 1 ? button('Back', () => go(at - 1)) : '', at < steps.length ? button(`Next: ${steps[at].title}`, () => go(at + 1)) : h('a', { href: '#/gallery' }, 'On to the gallery'), button('Begin this step anew', () => go(at)))),
      inner);
    const scene = env.scenes.find((s) => s.name === step.scene);
    if (scene) shown = scene.open(inner, { ...env, settings: settings ?? structuredClone(step.settings), save: (s) => env.save({ step: at, ...s }) });
  };
  show(Object.keys(given).length ? given : null);
  return { end: () => shown.end() };
}
