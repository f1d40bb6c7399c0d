// Kernel principal components: the score of every place on each component.
// @ts-check
import { h } from '../dom.js';
import { section, slider } from '../controls.js';
import { Frame } from '../frame.js';
import { KernelEditor } from '../kernel-editor.js';
import { DataPanel, source } from '../data-panel.js';
import { Editing } from '../editing.js';
import { around } from '../plot.js';
import { css, signed } from '../colour.js';
import { showMessage } from '../messages.js';
import { takeAway } from '../take-away.js';
import { atLeast } from '../enough.js';
import { show } from '../dom.js';

const defaults = { data: source('blobs'), kernel: { text: 'gaussian(lengthscale=2)' }, components: 6, window: null };

/** @param {HTMLElement} root @param {import('../main.js').Env} env @param {HTMLElement} head */
export function open(root, env, head) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  /** @type {{xy: number[], class: number[]}} */
  const points = { xy: [], class: [] };
  /** @type {any} */
  let result = null;
  let window_ = around([], []);
  const grid = h('div', { class: 'picture-grid' });
  /** @type {any[]} */
  let plots = [];
  const ask = () => {
    f.save();
    for (const p of plots) p.plot.window = window_;
    if (f.lacks(plots.map((p) => p.plot), atLeast(points, 2), () => { result = null; for (const p of plots) p.caption.textContent = ''; })) return;
    asker.ask({ points: { xy: points.xy }, kernel: s.kernel, components: s.components, window: window_ });
  };
  const asker = f.asker('components', (stage, value) => {
    if (stage === 'components') {
      result = value;
      editor.accept(value.kernel);
      f.read([...value.readings, ...value.share.map((/** @type {number} */ v, /** @type {number} */ i) => ({ name: `share-${i + 1}`, label: `component ${i + 1}`, value: v }))], true);
      f.warn(value.warnings);
      if (plots.length !== value.share.length) rebuild(value.share.length);
    } else result = { ...result, surface: value };
    for (const p of plots) { p.plot.window = window_; p.plot.refresh(); }
    plots.forEach((p, i) => { p.caption.textContent = `Component ${i + 1}: ${show(100 * (result.share[i] ?? 0), 3)} % of the variance`; });
  });
  const rebuild = (/** @type {number} */ n) => {
    f.drop(plots.map((p) => p.plot));
    plots = Array.from({ length: n }, (_, i) => {
      const plot = f.plot({ label: `Contours of component ${i + 1}; points can be moved`, ratio: 0.8, draw: () => {
        const v = result?.surface.values[i];
        if (v) {
          const size = Math.max(...v.map((/** @type {number|null} */ x) => Math.abs(x ?? 0)), 1e-300);
          plot.cells(result.surface, (c) => signed(plot.colours.ground, (v[c] ?? 0) / size));
          for (let l = -4; l <= 4; l++) plot.contour(result.surface, v, (l * size) / 5, { width: l === 0 ? 1.6 : 0.8, dash: l < 0 ? [4, 3] : [], colour: css(plot.colours.ink, 0.75) });
        }
        points.class.forEach((c, k) => plot.mark(points.xy[2 * k], points.xy[2 * k + 1], c, { size: 3 }));
        editing.drawCursor();
      } });
      if (i === 0) plot.pin();
      const editing = new Editing(plot, { points: () => points, kind: () => 0, erasing: () => false, most: f.catalogue.limits.points, full: showMessage, changed: () => { data.edited(); f.keepView(window_); ask(); } });
      const caption = h('figcaption', {});
      return { plot, caption, element: h('figure', {}, caption, plot.element) };
    });
    grid.replaceChildren(...plots.map((p) => p.element));
  };
  const editor = new KernelEditor({ algebra: f.catalogue.algebra, kernels: f.catalogue.kernels.plane, value: s.kernel, changed: ask });
  const data = new DataPanel({ catalogue: f.catalogue, scene: 'components', source: s.data, points, loaded: (fresh) => {
    window_ = f.view(fresh ? around(points.xy.filter((_, i) => i % 2 === 0), points.xy.filter((_, i) => i % 2 === 1), 0.15) : { x0: -2, x1: 2, y0: -2, y1: 2 });
    ask();
  } });
  f.pictures.append(h('div', { 'data-field': 'points' }), h('p', { class: 'hint' }, 'Lines are places of equal score; dashed below zero. Click or drag in any picture to add and move points.'), grid, f.warnings);
  f.panel.append(head, section('Numbers', f.readings),
    section('Components', slider({ label: 'components', value: s.components, low: 1, high: 8, integer: true, field: 'components', changed: (v) => { s.components = v; ask(); } }).element),
    section('Kernel', editor.element), data.element, takeAway({ name: 'components', plot: () => plots[0].plot }).element);
  rebuild(s.components);
  data.begin();
  return { end: () => f.end() };
}
