// Groups: kernel k-means, k-medoids and spectral clustering, step by step.
// @ts-check
import { h } from '../dom.js';
import { menu, section, slider, button } from '../controls.js';
import { Frame } from '../frame.js';
import { KernelEditor } from '../kernel-editor.js';
import { DataPanel, source } from '../data-panel.js';
import { Editing } from '../editing.js';
import { clearButton } from '../class-picker.js';
import { around } from '../plot.js';
import { css, colourOf, mix } from '../colour.js';
import { showMessage } from '../messages.js';
import { takeAway } from '../take-away.js';
import { atLeast } from '../enough.js';

const defaults = { data: source('circles'), kernel: { text: 'gaussian(lengthscale=0.3)' }, method: 'k-means', clusters: 2, steps: 0, neighbours: 12, stage: 'groups', seed: 1, window: null };

/** @param {HTMLElement} root @param {import('../main.js').Env} env @param {HTMLElement} head */
export function open(root, env, head) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  /** @type {{xy: number[], class: number[]}} */
  const points = { xy: [], class: [] };
  /** @type {any} */
  let r = null;
  /** @type {any} */
  let surface = null;
  const spectral = () => s.method === 'spectral';
  const byMeans = () => s.method === 'k-means';
  const ask = () => {
    f.save();
    side.titles = spectral() ? (s.stage === 'embedding' || s.stage === 'groups' ? ['first coordinate', 'second'] : ['place', 'eigenvalue']) : ['step', 'sum of squares'];
    if (f.lacks([plot, side], atLeast(points, 2), () => { r = surface = null; state.textContent = ''; })) return;
    asker.ask({ points: { xy: points.xy }, kernel: s.kernel, method: s.method, clusters: s.clusters, steps: byMeans() ? s.steps : 0, neighbours: spectral() ? s.neighbours : 0, seed: s.seed, window: plot.window });
  };
  const asker = f.asker('cluster', (stage, value) => {
    if (stage === 'groups') {
      r = value;
      surface = null;
      editor.accept(value.kernel);
      f.read(value.readings, true);
      f.warn(value.warnings);
      state.textContent = !byMeans() ? '' : value.settled ? 'Nothing moves any more.' : 'Points still move: one more step.';
    } else surface = value;
    plot.refresh();
    side.refresh();
  });
  const grouped = () => !spectral() || s.stage === 'groups';
  const plot = f.plot({ label: 'Points in groups; points can be moved', ratio: 0.72, draw: () => {
    if (surface && grouped()) {
      plot.cells(surface, (i) => mix(plot.colours.ground, colourOf(surface.class[i]), 0.3), true);
      plot.borders(surface);
    }
    if (r?.edges && spectral()) {
      plot.pen({ colour: css(plot.colours.quiet, 0.5), width: 0.8 });
      plot.g.beginPath();
      for (const [a, b] of r.edges) {
        plot.g.moveTo(plot.toX(points.xy[2 * a]), plot.toY(points.xy[2 * a + 1]));
        plot.g.lineTo(plot.toX(points.xy[2 * b]), plot.toY(points.xy[2 * b + 1]));
      }
      plot.g.stroke();
    }
    points.class.forEach((_, i) => plot.mark(points.xy[2 * i], points.xy[2 * i + 1], grouped() ? r?.labels?.[i] ?? 0 : 5, { size: 4 }));
    for (const i of r?.medoids ?? []) { // a point that stands for its group
      plot.pen({ width: 2.2 });
      plot.g.strokeRect(plot.toX(points.xy[2 * i]) - 8, plot.toY(points.xy[2 * i + 1]) - 8, 16, 16);
    }
    editing.drawCursor();
  } }).pin();
  const side = f.plot({ label: 'How the groups are found', ratio: 0.42, draw: () => {
    if (!r) return;
    const dots = (/** @type {number[]} */ v) => {
      side.window = around([0, v.length + 1], v, 0.1);
      side.line(v.map((_, i) => i + 1), v, { colour: css(colourOf(0)), width: 1.6 });
      v.forEach((y, i) => side.mark(i + 1, y, 0, { size: 3.5 }));
    };
    if (!spectral()) dots(r.objective ?? []);
    else if (s.stage === 'graph' || s.stage === 'spectrum' || !r.embedding || r.embedding.length < 2) dots(r.spectrum ?? []);
    else {
      side.window = around(r.embedding[0], r.embedding[1], 0.15);
      r.embedding[0].forEach((/** @type {number} */ x, /** @type {number} */ i) => side.mark(x, r.embedding[1][i], s.stage === 'groups' ? r.labels[i] : 5, { size: 3.5, faint: true }));
    }
  } });
  const editing = new Editing(plot, { points: () => points, kind: () => 0, erasing: () => false, most: f.catalogue.limits.points, full: showMessage, changed: () => { if (r) r.medoids = r.edges = null; data.edited(); f.keepView(plot.window); ask(); } });
  const editor = new KernelEditor({ algebra: f.catalogue.algebra, kernels: f.catalogue.kernels.plane, value: s.kernel, changed: ask });
  const data = new DataPanel({ catalogue: f.catalogue, scene: 'cluster', source: s.data, points, loaded: (fresh) => {
    plot.titles = data.titles;
    plot.window = f.view(fresh ? around(points.xy.filter((_, i) => i % 2 === 0), points.xy.filter((_, i) => i % 2 === 1)) : { x0: -2, x1: 2, y0: -2, y1: 2 });
    plot.refresh();
    ask();
  } });
  const steps = slider({ label: 'steps (0: until nothing moves)', value: s.steps, low: 0, high: 30, integer: true, field: 'steps', changed: (v) => { s.steps = v; ask(); } });
  const means = h('div', {}, steps.element, h('div', { class: 'row' }, button('First step', () => { s.steps = 1; steps.set(1); ask(); }), button('One more', () => { s.steps++; steps.set(s.steps); ask(); })));
  const ties = h('div', {},
    menu({ label: 'Stage', value: s.stage, options: [['graph', '1. ties of neighbours'], ['spectrum', '2. eigenvalues of D^-½WD^-½'], ['embedding', '3. rows of eigenvectors'], ['groups', '4. groups of the rows']], changed: (v) => { s.stage = v; ask(); } }).element,
    slider({ label: 'neighbours (0: all, by the kernel)', value: s.neighbours, low: 0, high: 30, integer: true, changed: (v) => { s.neighbours = v; ask(); } }).element);
  const state = h('p', { class: 'note', 'data-state': '' });
  const rebuild = () => { means.hidden = !byMeans(); ties.hidden = !spectral(); };
  f.pictures.append(h('figure', { 'data-field': 'points' }, h('div', { class: 'row' }, clearButton(() => { data.choose('hand'); data.choice.select.value = 'hand'; })), plot.element, state), h('figure', {}, side.element), f.warnings);
  f.panel.append(head, section('Numbers', f.readings),
    section('Groups', menu({ label: 'Method', value: s.method, field: 'method', options: [['k-means', 'kernel k-means'], ['medoids', 'k-medoids: points as centres'], ['spectral', 'spectral clustering']], changed: (v) => { s.method = v; rebuild(); ask(); } }).element,
      slider({ label: 'groups', value: s.clusters, low: 1, high: 6, integer: true, field: 'clusters', changed: (v) => { s.clusters = v; ask(); } }).element, means, ties, button('Another start', () => { s.seed++; ask(); })),
    section('Kernel', editor.element), data.element, takeAway({ name: 'cluster', plot: () => plot }).element);
  rebuild();
  data.begin();
  return { end: () => f.end() };
}
