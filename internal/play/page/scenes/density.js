// Density: points of the line, and the sum of the windows around them at three widths.
// @ts-check
import { h, fill, show, formula } from '../dom.js';
import { menu, section, slider, toggle } from '../controls.js';
import { Frame } from '../frame.js';
import { DataPanel, source } from '../data-panel.js';
import { Editing } from '../editing.js';
import { clearButton } from '../class-picker.js';
import { around } from '../plot.js';
import { colourOf, css } from '../colour.js';
import { showMessage } from '../messages.js';
import { takeAway } from '../take-away.js';
import { atLeast } from '../enough.js';

export const name = 'density';
export const title = 'Density';

const defaults = { data: source('peaks'), method: 'parzen', smoother: 'gaussian', bandwidth: 0.4, neighbours: 10, windows: true, window: null };

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  /** @type {{xy: number[], class: number[]}} */
  const points = { xy: [], class: [] };
  /** @type {any} */
  let r = null;
  /** @type {any} */
  let curve = null;
  let erasing = false;
  let window_ = around([], []);
  const parzen = () => s.method === 'parzen';
  const ask = () => {
    f.save();
    if (f.lacks([figures[1].plot, ...f.plots], atLeast(points, 2), () => { r = curve = null; for (const g of figures) g.caption.textContent = ''; })) return;
    asker.ask({ points: { xy: points.xy }, method: s.method, smoother: s.smoother, bandwidth: s.bandwidth, neighbours: s.neighbours, window: window_ });
    likelihood.refresh();
  };
  const asker = f.asker('density', (stage, value) => {
    if (stage === 'density') {
      r = value;
      f.read(value.readings, true);
      value.estimates.forEach((/** @type {any} */ e, /** @type {number} */ i) => {
        figures[i].caption.textContent = `${['Narrow', 'As set', 'Wide'][i]}: ${parzen() ? 'h' : 'k'} = ${show(e.width, 3)}`;
      });
    } else {
      curve = value;
      f.read([{ name: 'best', label: 'h of the largest likelihood', value: value.best }]);
    }
    for (const p of f.plots) p.refresh();
  });

  const figures = [0, 1, 2].map((i) => {
    const plot = f.plot({ label: `Density ${['at a narrow width', 'at the width set; points can be placed and moved', 'at a wide width'][i]}`, ratio: i === 1 ? 0.42 : 0.6, draw: () => {
      const e = r?.estimates[i];
      const top = Math.max(...(e?.p ?? []).filter((/** @type {number|null} */ v) => v !== null), 1e-12);
      plot.window = { ...window_, y0: -0.06 * top, y1: 1.08 * top };
      if (e) {
        if (s.windows) for (const w of e.windows ?? []) plot.line(r.x, w, { colour: css(colourOf(4), 0.45), width: 1 });
        plot.line(r.x, e.p, { colour: css(colourOf(0)), width: 2.6 });
      }
      points.class.forEach((_, k) => plot.mark(points.xy[2 * k], 0, 1, { size: 3.4 }));
      if (i === 1) editing.drawCursor();
    } });
    if (i === 1) plot.pin();
    const caption = h('figcaption', {});
    return { plot, caption, element: h('figure', {}, caption, plot.element) };
  });
  const editing = new Editing(figures[1].plot, { points: () => points, kind: () => 0, erasing: () => erasing, most: f.catalogue.limits.points, full: showMessage, changed: () => {
    for (let k = 1; k < points.xy.length; k += 2) points.xy[k] = 0; // the line is all that counts
    data.edited();
    f.keepView(window_);
    ask();
  } });
  const likelihood = f.plot({ label: 'Likelihood of points left out', ratio: 0.5, logX: true, xTitle: 'h', draw: () => {
    if (!curve || !parzen()) return;
    const good = curve.errors.filter((/** @type {number|null} */ v) => v !== null);
    const top = Math.max(...good);
    likelihood.window = { x0: Math.min(curve.values[0], s.bandwidth), x1: Math.max(curve.values[curve.values.length - 1], s.bandwidth), y0: Math.max(Math.min(...good), top - 6), y1: top + 0.3 };
    likelihood.line(curve.values, curve.errors, { colour: css(colourOf(4)), width: 2 });
    likelihood.line([s.bandwidth, s.bandwidth], [likelihood.window.y0, likelihood.window.y1], { dash: [4, 3] });
  } });
  const profiles = f.plot({ label: 'Smoothing kernels', ratio: 0.5, xTitle: 'u', draw: () => {
    if (!r) return;
    profiles.window = { x0: -3, x1: 3, y0: -0.05, y1: 1.05 };
    for (const p of r.profiles) if (p.name !== s.smoother) profiles.line(r.u, p.k, { colour: css(profiles.colours.quiet, 0.45), width: 1 });
    const own = r.profiles.find((/** @type {any} */ p) => p.name === s.smoother);
    if (own) profiles.line(r.u, own.k, { colour: css(colourOf(0)), width: 2.6 });
  } });
  const data = new DataPanel({ catalogue: f.catalogue, scene: 'density', source: s.data, points, line: true, single: true, loaded: (fresh) => {
    window_ = f.view(fresh ? { ...around(points.xy.filter((_, i) => i % 2 === 0), [], 0.25), y0: 0, y1: 1 } : { x0: -4, x1: 4, y0: 0, y1: 1 });
    for (let k = 1; k < points.xy.length; k += 2) points.xy[k] = 0;
    ask();
  } });
  const width = slider({ label: 'bandwidth h', value: s.bandwidth, low: 1e-2, high: 1e1, log: true, field: 'bandwidth', changed: (v) => { s.bandwidth = v; ask(); } });
  const smoothers = f.catalogue.smoothers;
  const smoother = menu({ label: 'Smoothing kernel', value: s.smoother, field: 'smoother', options: smoothers.map((/** @type {any} */ p) => [p.name, p.name]), changed: (v) => { s.smoother = v; rebuild(); ask(); } });
  const near = slider({ label: 'neighbours k', value: s.neighbours, low: 1, high: 100, integer: true, log: true, field: 'neighbours', changed: (v) => { s.neighbours = v; ask(); } });
  const shown = toggle({ label: 'the window of each point', value: s.windows, changed: (v) => { s.windows = v; f.save(); for (const p of f.plots) p.refresh(); } });
  const problem = h('p', { class: 'formula' });
  const lower = h('div', { class: 'picture-grid wide' },
    h('figure', {}, h('figcaption', {}, 'Mean log-density of each point under the windows of the others, as h moves'), likelihood.element),
    h('figure', {}, h('figcaption', {}, 'Smoothing kernels: blue the one chosen'), profiles.element));
  const rebuild = () => {
    fill(problem, ...formula(parzen() ? `p(x) = Σ k((x − xᵢ)/h)/(nh),  k(u) = ${smoothers.find((/** @type {any} */ p) => p.name === s.smoother)?.formula ?? ''}` : 'p(x) = k/(n·V),  V the length around x that holds k points'));
    width.element.hidden = smoother.element.hidden = shown.element.hidden = lower.hidden = !parzen();
    near.element.hidden = parzen();
    for (const p of f.plots) p.resize();
  };
  f.pictures.append(
    h('div', { class: 'row' }, toggle({ label: 'erase', value: false, changed: (v) => { erasing = v; } }).element, clearButton(() => { data.choose('hand'); data.choice.select.value = 'hand'; })),
    h('div', { 'data-field': 'points' }, figures[1].element),
    h('p', { class: 'hint' }, 'Click to place a point on the line, drag to move it; right-click, Shift-click or “erase” takes it away.'),
    h('div', { class: 'picture-grid wide' }, figures[0].element, figures[2].element), lower);
  f.panel.append(section('Numbers', f.readings),
    section('Density', menu({ label: 'Method', value: s.method, field: 'method', options: [['parzen', 'Parzen windows'], ['neighbours', 'nearest neighbours']], changed: (v) => { s.method = v; rebuild(); ask(); } }).element, problem, smoother.element, width.element, near.element, shown.element),
    data.element, takeAway({ name: 'density', plot: () => figures[1].plot }).element);
  rebuild();
  data.begin();
  return { end: () => f.end() };
}
