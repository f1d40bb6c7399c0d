// Gallery: the figures and worked examples of the notes, each a scene that opens with its parameters set.
// @ts-check
import { h, fill, formula } from '../dom.js';
import { once } from '../api.js';
import { writeAddress } from '../state.js';

export const name = 'gallery';
export const title = 'Gallery';

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const cards = h('div', { class: 'cards' });
  const find = h('input', { type: 'text', placeholder: 'find …', 'aria-label': 'Find in the gallery', oninput: () => show() });
  root.append(h('h1', {}, 'The notes, alive'), h('p', {}, 'Each figure and worked example opens as a scene with its parameters set; move anything, and the link in the address keeps it.'), h('p', {}, find), cards);
  /** @type {any[]} */
  let all = [];
  const show = () => {
    const word = find.value.toLowerCase();
    fill(cards, ...all.filter((e) => JSON.stringify(e).toLowerCase().includes(word)).map((e) => {
      const href = writeAddress(e.scene, e.settings);
      return h('article', { class: 'card', 'data-entry': e.name },
        h('p', { class: 'note' }, e.from), h('h3', {}, h('a', { href }, e.title)), ...e.text.map((/** @type {string} */ t) => h('p', {}, ...formula(t))), h('p', { class: 'formula' }, ...formula(e.formula)),
        h('details', {}, h('summary', {}, 'In Go'), h('p', { class: 'hint' }, 'plane and curve are sets of the playground, parse reads a kernel, must refuses an error. The programs are tests of package play, and what they print is what the scene shows.'), h('pre', {}, h('code', {}, e.code))),
        e.variants ? h('p', { class: 'row' }, 'Panels:', ...e.variants.map((/** @type {any} */ v) => h('a', { href: writeAddress(e.scene, { ...e.settings, ...v.settings }), 'aria-label': `${e.title}: ${v.label}` }, v.label))) : '',
        e.command ? h('details', {}, h('summary', {}, 'On the command line'), h('pre', {}, h('code', {}, e.command))) : '',
        h('p', {}, h('a', { href, 'aria-label': `Open ${e.title}` }, 'Open the scene')));
    }));
    root.dataset.settled = String(Number(root.dataset.settled ?? 0) + 1);
  };
  once('gallery', {}).then((list) => { all = list; show(); }, env.lost);
  return { end: () => {} };
}
