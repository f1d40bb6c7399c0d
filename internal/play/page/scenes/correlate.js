// Kernel canonical correlation: the functions of two coordinates that go together best.
// @ts-check
import { h } from '../dom.js';
import { section, slider, button } from '../controls.js';
import { Frame } from '../frame.js';
import { KernelEditor } from '../kernel-editor.js';
import { DataPanel, source } from '../data-panel.js';
import { Editing } from '../editing.js';
import { around } from '../plot.js';
import { css, colourOf } from '../colour.js';
import { showMessage } from '../messages.js';
import { takeAway } from '../take-away.js';
import { atLeast } from '../enough.js';
import { drawHistogram } from './histogram.js';

const defaults = { data: source('ring'), kernel: { text: 'gaussian(lengthscale=0.5)' }, second: { text: 'gaussian(lengthscale=0.5)' }, kappa: 0.02, permutations: 200, seed: 1, window: null };

/** @param {HTMLElement} root @param {import('../main.js').Env} env @param {HTMLElement} head */
export function open(root, env, head) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  /** @type {{xy: number[], class: number[]}} */
  const points = { xy: [], class: [] };
  /** @type {any} */
  let r = null;
  /** @type {any} */
  let test = null;
  const ask = () => {
    f.save();
    if (f.lacks([plot, ...f.plots], atLeast(points, 3), () => { r = test = null; })) return;
    asker.ask({ points: { xy: points.xy }, kernel: s.kernel, second: s.second, kappa: s.kappa, permutations: s.permutations, seed: s.seed, window: plot.window });
  };
  const asker = f.asker('correlate', (stage, value) => {
    if (stage === 'correlation') {
      r = value;
      first.accept(value.kernel);
      second.accept(value.second);
      f.read(value.readings, true);
    } else {
      test = value;
      f.read(value.readings);
    }
    for (const p of f.plots) p.refresh();
  });
  const plot = f.plot({ label: 'Pairs; points can be moved', ratio: 0.7, draw: () => {
    points.class.forEach((_, i) => plot.mark(points.xy[2 * i], points.xy[2 * i + 1], 0, { size: 3.6 }));
    editing.drawCursor();
  } }).pin();
  const curve = (/** @type {string} */ label, /** @type {'x'|'y'} */ at, /** @type {'f'|'g'} */ of, /** @type {number} */ colour) => {
    const p = f.plot({ label, ratio: 0.5, draw: () => {
      if (!r) return;
      p.window = around(r[at], r[of], 0.08);
      p.line(r[at], r[of], { colour: css(colourOf(colour)), width: 2.2 });
    } });
    return p;
  };
  const fx = curve('f of the first coordinate', 'x', 'f', 0);
  const gy = curve('g of the second coordinate', 'y', 'g', 2);
  const scores = f.plot({ label: 'f(x) against g(y)', ratio: 0.7, xTitle: 'f(x)', yTitle: 'g(y)', draw: () => {
    if (!r) return;
    scores.window = around(r.scoresF, r.scoresG, 0.1);
    r.scoresF.forEach((/** @type {number} */ v, /** @type {number} */ i) => scores.mark(v, r.scoresG[i], 4, { size: 3.2 }));
  } });
  const chance = f.plot({ label: 'The correlation under permutations', ratio: 0.3, xTitle: 'correlation', draw: () => test && drawHistogram(chance, { ...test, threshold: null }) });
  const editing = new Editing(plot, { points: () => points, kind: () => 0, erasing: () => false, most: f.catalogue.limits.points, full: showMessage, changed: () => { data.edited(); f.keepView(plot.window); ask(); } });
  const first = new KernelEditor({ algebra: f.catalogue.algebra, title: 'Kernel of x', kernels: f.catalogue.kernels.line, value: s.kernel, changed: ask });
  const second = new KernelEditor({ algebra: f.catalogue.algebra, title: 'Kernel of y', field: 'second', kernels: f.catalogue.kernels.line, value: s.second, changed: ask });
  const data = new DataPanel({ catalogue: f.catalogue, scene: 'correlate', source: s.data, points, loaded: (fresh) => {
    plot.titles = data.titles;
    plot.window = f.view(fresh ? around(points.xy.filter((_, i) => i % 2 === 0), points.xy.filter((_, i) => i % 2 === 1)) : { x0: -2, x1: 2, y0: -2, y1: 2 });
    plot.refresh();
    ask();
  } });
  const fig = (/** @type {string} */ t, /** @type {any} */ p) => h('figure', {}, h('figcaption', {}, t), p.element);
  f.pictures.append(h('div', { class: 'picture-grid wide', 'data-field': 'points' }, fig('Pairs (x, y): click or drag', plot), fig('f(x) against g(y)', scores), fig('f', fx), fig('g', gy), fig('What chance does, with the observed correlation', chance)));
  f.panel.append(head, section('Numbers', f.readings),
    section('Correlation', slider({ label: 'κ, as a share of n', value: s.kappa, low: 1e-4, high: 1, log: true, field: 'kappa', changed: (v) => { s.kappa = v; ask(); } }).element,
      slider({ label: 'permutations', value: s.permutations, low: 20, high: 1000, log: true, integer: true, changed: (v) => { s.permutations = v; ask(); } }).element,
      button('Permute again', () => { s.seed++; ask(); })),
    section('Kernels', first.element, second.element), data.element, takeAway({ name: 'correlate', plot: () => plot }).element);
  data.begin();
  return { end: () => f.end() };
}
