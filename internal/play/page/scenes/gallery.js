// Gallery: the figures and worked examples of the notes, each a scene that opens with its parameters set.
// @ts-check
import { h, fill, formula } from '../dom.js';
import { menu } from '../controls.js';
import { once } from '../api.js';
import { writeAddress } from '../state.js';
import { Thumbnails } from '../thumbnails.js';

export const name = 'gallery';
export const title = 'Gallery';

/** The kinds of entries by the scene that they open. @type {Array<[string, string]>} */
const kinds = [['', 'everything'], ['classify', 'classes'], ['regress', 'curves'], ['density', 'densities'], ['look', 'kernels'], ['project', 'projections and groups'], ['test', 'tests'], ['search', 'choosing a model'], ['structured', 'strings, trees, graphs, sets']];

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const cards = h('div', { class: 'cards' });
  const chosen = { kind: '', from: '' };
  const find = h('input', { type: 'text', placeholder: 'find …', 'aria-label': 'Find in the gallery', oninput: () => show() });
  const filters = h('div', { class: 'row filters' }, find);
  const count = h('p', { class: 'note', role: 'status' });
  root.append(h('h1', {}, 'The notes, alive'), h('p', {}, 'Each figure and worked example opens as a scene with its parameters set; move anything, and the link in the address keeps it. New to kernels? ', h('a', { href: '#/guide' }, 'Eight steps'), ' lead here.'), filters, count, h('h2', { class: 'unseen' }, 'Figures and examples'), cards);
  const thumbnails = new Thumbnails(env);
  /** @type {any[]} */
  let all = [];
  const note = (/** @type {any} */ e) => e.from.split(/[,:(]/)[0].trim();
  const show = () => {
    const word = find.value.toLowerCase();
    const shown = all.filter((e) => (!chosen.kind || e.scene === chosen.kind) && (!chosen.from || note(e) === chosen.from) && JSON.stringify(e).toLowerCase().includes(word));
    count.textContent = `${shown.length} of ${all.length}`;
    fill(cards, ...shown.map(card));
    root.dataset.settled = String(Number(root.dataset.settled ?? 0) + 1);
  };
  const card = (/** @type {any} */ e) => {
    const href = writeAddress(e.scene, e.settings);
    return h('article', { class: 'card', 'data-entry': e.name },
      h('a', { href, class: 'thumb', title: `Open ${e.title}` }, thumbnails.of(e)),
      h('p', { class: 'note' }, e.from), h('h3', {}, h('a', { href }, e.title)),
      ...e.text.slice(0, 1).map((/** @type {string} */ t) => h('p', {}, ...formula(t))),
      e.variants ? h('p', { class: 'row' }, 'Panels:', ...e.variants.map((/** @type {any} */ v) => h('a', { href: writeAddress(e.scene, { ...e.settings, ...v.settings }), 'aria-label': `${e.title}: ${v.label}` }, v.label))) : '',
      h('details', {}, h('summary', {}, 'More, and in Go'), ...e.text.slice(1).map((/** @type {string} */ t) => h('p', {}, ...formula(t))), h('p', { class: 'formula' }, ...formula(e.formula)),
        h('p', { class: 'hint' }, 'plane and curve are sets of the playground, parse reads a kernel, must refuses an error. The programs are tests of package play, and what they print is what the scene shows.'), h('pre', { tabIndex: 0 }, h('code', {}, e.code)),
        e.command ? h('pre', { tabIndex: 0 }, h('code', {}, e.command)) : ''));
  };
  once('gallery', {}).then((list) => {
    all = list;
    const notes = [...new Set(all.map(note))];
    filters.append(menu({ label: 'Of', value: '', options: kinds.filter(([k]) => !k || all.some((e) => e.scene === k)), changed: (v) => { chosen.kind = v; show(); } }).element,
      menu({ label: 'From', value: '', options: [['', 'all notes'], ...notes.map((n) => /** @type {[string, string]} */ ([n, n]))], changed: (v) => { chosen.from = v; show(); } }).element);
    show();
  }, env.lost);
  return { end: () => thumbnails.end() };
}
