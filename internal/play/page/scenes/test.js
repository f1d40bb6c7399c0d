// Test: are two clouds one distribution (MMD)? Do two coordinates depend on each other (HSIC)?
// @ts-check
import { h } from '../dom.js';
import { menu, section, slider, toggle, button } from '../controls.js';
import { Frame } from '../frame.js';
import { KernelEditor } from '../kernel-editor.js';
import { DataPanel, source } from '../data-panel.js';
import { Editing } from '../editing.js';
import { classPicker, clearButton } from '../class-picker.js';
import { around } from '../plot.js';
import { css, signed } from '../colour.js';
import { showMessage } from '../messages.js';
import { takeAway } from '../take-away.js';
import { atLeast, twoClasses } from '../enough.js';
import { drawHistogram } from './histogram.js';

export const name = 'test';
export const title = 'Test';

const defaults = { kind: 'two-sample', data: source(''), kernel: { text: 'gaussian(lengthscale=1)' }, second: { text: 'gaussian(lengthscale=1)' }, median: true, permutations: 500, alpha: 0.05, seed: 1, window: null };

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  const two = s.kind === 'two-sample';
  if (!s.data.name) s.data.name = two ? 'shift' : 'ring';
  /** @type {{xy: number[], class: number[]}} */
  const points = { xy: [], class: [] };
  let kind = 0;
  let erasing = false;
  /** @type {any} */
  let result = null;
  /** @type {any} */
  let surface = null;
  const ask = () => {
    f.save();
    if (f.lacks([plot, chance], two ? twoClasses(points, 2) : atLeast(points, 4), () => { result = surface = null; verdict.textContent = ''; })) return;
    asker.ask({ points: two ? points : { xy: points.xy }, kernel: s.kernel, second: two ? undefined : s.second, median: s.median, permutations: s.permutations, alpha: s.alpha, seed: s.seed, window: plot.window });
  };
  const asker = f.asker(two ? 'two-sample' : 'independence', (stage, value) => {
    if (stage === 'test') {
      result = value;
      surface = value.surface ?? null;
      editor.accept(value.kernel, s.median);
      if (value.second) other.accept(value.second, s.median);
      f.read(value.readings, true);
      f.warn(value.notes);
      verdict.textContent = `${value.verdict} at level ${s.alpha}`;
    } else surface = value;
    plot.refresh();
    chance.refresh();
  });
  const plot = f.plot({ label: two ? 'Two clouds and the witness function' : 'Pairs', ratio: 0.72, draw: () => {
    if (surface) {
      const size = Math.max(...surface.values[0].map((/** @type {number|null} */ v) => Math.abs(v ?? 0)), 1e-300);
      plot.cells(surface, (i) => signed(plot.colours.ground, (surface.values[0][i] ?? 0) / size, 1, 0));
      plot.contour(surface, surface.values[0], 0, { width: 1.2, dash: [4, 4], colour: css(plot.colours.ink, 0.7) });
    }
    points.class.forEach((c, i) => plot.mark(points.xy[2 * i], points.xy[2 * i + 1], two ? Math.min(c, 1) : 0, { size: 4 }));
    editing.drawCursor();
  } }).pin();
  const chance = f.plot({ label: 'The statistic under permutations', ratio: 0.3, xTitle: two ? 'MMD²' : 'HSIC', draw: () => result && drawHistogram(chance, result) });
  const editing = new Editing(plot, { points: () => points, kind: () => kind, erasing: () => erasing, most: f.catalogue.limits.points, chosen: (i) => picker.choose(i), full: showMessage, changed: () => { data.edited(); f.keepView(plot.window); ask(); } });
  const picker = classPicker(two ? 2 : 1, (k, e) => { kind = k; erasing = e; });
  const editor = new KernelEditor({ algebra: f.catalogue.algebra, title: two ? 'Kernel' : 'Kernel across', kernels: two ? f.catalogue.kernels.plane : f.catalogue.kernels.line, value: s.kernel, changed: () => { median.box.checked = s.median = false; ask(); } });
  const other = new KernelEditor({ algebra: f.catalogue.algebra, title: 'Kernel up', field: 'second', kernels: f.catalogue.kernels.line, value: s.second, changed: () => { median.box.checked = s.median = false; ask(); } });
  const median = toggle({ label: 'Gaussian of the median distance', value: s.median, changed: (v) => { s.median = v; ask(); } });
  const data = new DataPanel({ catalogue: f.catalogue, scene: s.kind, source: s.data, points, loaded: (fresh) => {
    plot.titles = data.titles;
    plot.window = f.view(fresh ? around(points.xy.filter((_, i) => i % 2 === 0), points.xy.filter((_, i) => i % 2 === 1)) : { x0: -3, x1: 3, y0: -3, y1: 3 });
    plot.refresh();
    ask();
  } });
  const verdict = h('p', { class: 'verdict', 'data-verdict': '' });
  f.pictures.append(
    h('figure', { 'data-field': 'points' }, h('figcaption', {}, two ? 'The witness function: blue where the blue cloud is denser, orange where the orange one is.' : 'Pairs (x, y): does one say anything about the other?'),
      h('div', { class: 'row' }, picker.element, clearButton(() => { data.choose('hand'); data.choice.select.value = 'hand'; })), plot.element),
    h('figure', {}, h('figcaption', {}, 'What chance does: the statistic with the points exchanged. The line is what was observed; dashed, where rejection begins.'), chance.element), f.warnings);
  f.panel.append(
    section('Numbers', verdict, f.readings),
    section('Test', menu({ label: 'Question', value: s.kind, options: [['two-sample', 'two clouds: one distribution?'], ['independence', 'two coordinates: independent?']], changed: (v) => {
      env.settings = { kind: v, seed: s.seed, permutations: s.permutations, alpha: s.alpha };
      f.end();
      root.replaceChildren();
      again = open(root, env);
      f.settings.kind = v;
      env.save({ ...f.settings, kind: v, data: source('') });
    } }).element,
    slider({ label: 'permutations', value: s.permutations, low: 20, high: 5000, log: true, integer: true, field: 'permutations', changed: (v) => { s.permutations = v; ask(); } }).element,
    slider({ label: 'level α', value: s.alpha, low: 0.001, high: 0.5, log: true, field: 'alpha', changed: (v) => { s.alpha = v; ask(); } }).element,
    button('Permute again', () => { s.seed++; ask(); })),
    section('Kernel', median.element, editor.element, two ? '' : other.element), data.element, takeAway({ name: 'test', plot: () => plot }).element);
  data.begin();
  /** @type {{end: () => void}|null} */
  let again = null;
  return { end: () => { f.end(); again?.end(); } };
}
