// Project and cluster: five scenes behind one menu.
// @ts-check
import { h } from '../dom.js';
import { menu } from '../controls.js';
import { settle } from '../state.js';
import * as components from './components.js';
import * as denoise from './denoise.js';
import * as correlate from './correlate.js';
import * as cluster from './cluster.js';
import * as latent from './latent.js';

export const name = 'project';
export const title = 'Project';

/** @type {Array<[string, string, (root: HTMLElement, env: import('../main.js').Env, head: HTMLElement) => {end: () => void}]>} */
const parts = [
  ['components', 'kernel principal components', components.open],
  ['denoise', 'denoise a digit', denoise.open],
  ['correlate', 'kernel canonical correlation', correlate.open],
  ['cluster', 'groups: k-means, medoids, spectral', cluster.open],
  ['latent', 'many columns: components and latent points', latent.open],
];

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const { part } = settle({ part: 'components' }, env.settings);
  /** @type {{end: () => void}} */
  let shown = { end: () => {} };
  const show = (/** @type {string} */ which, /** @type {Record<string, any>|null} */ settings) => {
    shown.end();
    root.replaceChildren();
    root.dataset.part = which;
    const head = h('section', {}, menu({ label: 'Scene', value: which, options: parts.map(([n, t]) => [n, t]), changed: (v) => { env.save({ part: v }); show(v, null); } }).element);
    const [, , start] = parts.find(([n]) => n === which) ?? parts[0];
    shown = start(root, { ...env, settings, save: (s) => env.save({ part: which, ...s }) }, head);
  };
  show(parts.some(([n]) => n === part) ? part : 'components', env.settings);
  return { end: () => shown.end() };
}
