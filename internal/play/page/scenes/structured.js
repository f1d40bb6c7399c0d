// Strings, trees, graphs, sets of points, series and rankings: two objects, and the features that they share.
// @ts-check
import { h, fill, show } from '../dom.js';
import { menu, section, text } from '../controls.js';
import { Frame } from '../frame.js';
import { KernelEditor } from '../kernel-editor.js';
import { GraphEditor } from './graph-editor.js';
import { drawTree } from './tree-picture.js';
import { bagsEditor } from './bags-editor.js';
import { alignedPlot } from './aligned-plot.js';
import { drawOrders } from './orders-picture.js';

export const name = 'structured';
export const title = 'Strings, graphs, series …';

const defaults = {
  on: 'strings',
  strings: { kernel: { text: 'spectrum(k=2)' }, x: 'statistics', y: 'statisticians' },
  trees: { kernel: { text: 'subsettree(decay=0.5)' }, x: '(S (NP (D the) (N dog)) (VP (V barks)))', y: '(S (NP (D the) (N cat)) (VP (V sleeps)))' },
  graphs: {
    kernel: { text: 'wl(h=2)' },
    x: { labels: ['C', 'C', 'C', 'O'], xy: [60, 120, 130, 60, 200, 120, 270, 60], edges: [[0, 1], [1, 2], [2, 3]] },
    y: { labels: ['C', 'C', 'C', 'C', 'O'], xy: [50, 60, 120, 130, 200, 60, 270, 130, 290, 40], edges: [[0, 1], [1, 2], [2, 3], [2, 4]] },
  },
  bags: {
    kernel: { text: 'pyramid(side=0.5, levels=3)' },
    points: { xy: [0.7, 0.8, 1.2, 3.1, 2.6, 2.2, 3.4, 0.6, 3.2, 3.3, 0.9, 1.2, 1.3, 2.7, 2.1, 2.3, 3.6, 0.7, 0.4, 3.6], class: [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] },
    grid: 1,
  },
  series: { kernel: { text: 'normalize(gak(width=1))' }, x: '0, 0, 1, 3, 4, 3, 1, 0, 0, 0, 0, 0', y: '0, 0, 0, 0, 1, 2, 4, 4, 2, 1, 0, 0' },
  rankings: { kernel: { text: 'kendall()' }, x: 'apple > pear > plum > fig > quince', y: 'pear > apple > plum > quince > fig' },
};

/** What a text of each kind is called. */
const called = { strings: '', trees: ', in brackets', series: ', numbers with commas', rankings: ', the best first' };

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  if (!['strings', 'trees', 'graphs', 'bags', 'series', 'rankings'].includes(s.on)) s.on = 'strings';
  const on = /** @type {'strings'|'trees'|'graphs'|'bags'|'series'|'rankings'} */ (s.on);
  const own = s[on];
  const objects = h('div', { class: 'two', 'data-field': 'objects' });
  const table = h('div', { class: 'scroll' });
  const note = h('p', { class: 'note' });
  /** @type {any} */
  let result = null;
  const graphOf = (/** @type {any} */ g) => ({ labels: g.labels, edges: g.edges });
  const ask = () => {
    f.save();
    if (on === 'bags') asker.ask({ kernel: own.kernel, points: own.points });
    else asker.ask(on === 'graphs' ? { kernel: own.kernel, x: graphOf(own.x), y: graphOf(own.y) } : { kernel: own.kernel, x: own.x, y: own.y });
  };
  const asker = f.asker(on, (_, value) => {
    result = value;
    editor.accept(value.kernel);
    f.read(value.readings, true);
    note.textContent = [value.note, value.left ? `${value.left} more features with less are not listed.` : ''].filter(Boolean).join(' ');
    const drawn = value.parsed ?? [];
    if (on === 'trees') drawn.forEach((/** @type {any} */ t, /** @type {number} */ i) => fill(strips[i], drawTree(t)));
    if (on === 'rankings') fill(strips[0], drawOrders(drawn[0], drawn[1]));
    if (on === 'series') aligned?.show(drawn[0]);
    showFeatures();
    highlight(null);
  });

  function showFeatures() {
    const list = result.features;
    what.hidden = on === 'series'; // no kernel on series counts anything
    table.hidden = list.length === 0;
    const most = Math.max(...list.map((/** @type {any} */ q) => q.value), 1e-300);
    fill(table, h('table', { class: 'features' },
      h('thead', {}, h('tr', {}, h('th', {}, 'shared feature'), h('th', { class: 'n' }, 'in x'), h('th', { class: 'n' }, 'in y'), h('th', { class: 'n' }, 'share of k'), h('th', {}, h('span', { class: 'unseen' }, 'as a bar')))),
      h('tbody', {}, ...list.map((/** @type {any} */ q) => {
        const bar = h('span', { class: 'bar' });
        bar.style.width = `${(100 * q.value) / most}%`;
        const row = h('tr', { 'data-feature': q.name, tabIndex: on === 'strings' ? 0 : -1, onmouseenter: () => highlight(q.name), onmouseleave: () => highlight(null), onfocus: () => highlight(q.name), onblur: () => highlight(null) },
          h('td', { class: 'code' }, q.name.replaceAll(' ', on === 'strings' ? '␣' : ' ')), h('td', { class: 'n' }, show(q.x)), h('td', { class: 'n' }, show(q.y)), h('td', { class: 'n' }, show(q.value)), h('td', {}, bar));
        return row;
      }))));
  }

  /** @type {HTMLElement[]} */
  const strips = [];
  /** Marks where a feature is in the strings. @param {string|null} feature */
  function highlight(feature) {
    if (on !== 'strings') return;
    [own.x, own.y].forEach((whole, i) => {
      const letters = [...whole];
      const lit = new Set(feature === null ? [] : places(letters, [...feature], /^ssk|^gappy/.test(own.kernel.text)));
      fill(strips[i], ...letters.map((c, k) => (lit.has(k) ? h('mark', {}, c) : c)));
    });
  }

  const editor = new KernelEditor({ algebra: f.catalogue.algebra, kernels: f.catalogue.kernels[on], value: own.kernel, changed: ask });
  const aligned = on === 'series' ? alignedPlot(f) : null;
  if (on === 'bags') objects.append(bagsEditor(f, own, ask));
  else for (const which of /** @type {const} */ (['x', 'y'])) {
    if (on === 'graphs') {
      objects.append(h('div', { 'data-field': which }, new GraphEditor(which, own[which], ask).element));
      continue;
    }
    const written = text({ label: which + called[on], value: own[which], rows: on === 'rankings' ? 2 : 3, field: which, changed: (v) => { own[which] = v; ask(); } }).element;
    if (on === 'strings') strips.push(h('p', { class: 'strip', 'aria-hidden': 'true' }));
    if (on === 'trees' || on === 'rankings' && which === 'y') strips.push(h('div', { class: 'tree' }));
    objects.append(h('div', {}, written, on === 'strings' || on === 'trees' ? strips[strips.length - 1] : ''));
  }
  const what = h('h2', { class: 'plain' }, 'What they share');
  /** @type {{end: () => void}|null} */
  let again = null;
  f.pictures.append(objects, ...(on === 'rankings' ? strips : []), ...(aligned ? [aligned.element] : []), what, note, table);
  const numbers = section('Numbers', f.readings);
  if (on !== 'bags' && on !== 'series') numbers.classList.add('pinned'); // what answers where there is no picture
  f.panel.append(numbers,
    section('Objects', menu({ label: 'Kernel on', value: on, options: [['strings', 'strings'], ['trees', 'trees'], ['graphs', 'graphs'], ['bags', 'sets of points'], ['series', 'series of numbers'], ['rankings', 'rankings']], changed: (v) => {
      f.end();
      root.replaceChildren();
      const settings = { ...s, on: v };
      env.settings = settings;
      env.save(settings);
      again = open(root, env);
    } }).element),
    section('Kernel', editor.element));
  ask();
  return { end: () => { f.end(); again?.end(); } };
}

/**
 * The places of a feature in a string: all runs of its letters (∗ is any), or for subsequences the tightest occurrence.
 * @param {string[]} letters @param {string[]} feature @param {boolean} gaps
 */
function places(letters, feature, gaps) {
  const out = [];
  if (!gaps) {
    for (let i = 0; i + feature.length <= letters.length; i++) if (feature.every((c, k) => c === '∗' || letters[i + k] === c)) for (let k = 0; k < feature.length; k++) out.push(i + k);
    return out;
  }
  let best = null;
  for (let i = 0; i < letters.length; i++) {
    const at = [];
    for (let k = i; k < letters.length && at.length < feature.length; k++) if (letters[k] === feature[at.length]) at.push(k);
    if (at.length === feature.length && at[0] === i && (!best || at[at.length - 1] - at[0] < best[best.length - 1] - best[0])) best = at;
  }
  return best ?? [];
}
