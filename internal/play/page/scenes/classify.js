// Classify: points of the plane, and the surface that a learner draws between them.
// @ts-check
import { h, fill, formula } from '../dom.js';
import { menu, section, settingControls, toggle } from '../controls.js';
import { Frame } from '../frame.js';
import { KernelEditor } from '../kernel-editor.js';
import { DataPanel, source } from '../data-panel.js';
import { Editing } from '../editing.js';
import { classPicker, clearButton } from '../class-picker.js';
import { around } from '../plot.js';
import { colourOf, css, mix, signed } from '../colour.js';
import { showMessage } from '../messages.js';
import { takeAway } from '../take-away.js';
import { programs } from '../programs.js';
import { atLeast, twoClasses } from '../enough.js';

export const name = 'classify';
export const title = 'Classify';

const defaults = {
  data: source('moons'), kernel: { text: 'gaussian(lengthscale=0.5)' }, learner: 'svm', params: { C: 10 }, proba: false,
  surface: true, margins: true, support: true, window: null,
};

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  /** @type {{xy: number[], class: number[]}} */
  const points = { xy: [], class: [] };
  let kind = 0;
  let erasing = false;
  /** @type {any} */
  let fit = null;
  /** @type {import('../plot.js').Surface|null} */
  let surface = null;

  const learners = f.catalogue.classify;
  const learner = () => learners.find((/** @type {any} */ l) => l.name === s.learner) ?? learners[0];
  const ask = () => {
    f.save();
    if (f.lacks([plot], learner().name === 'one-class' ? atLeast(points, 2) : twoClasses(points), () => { fit = surface = null; })) return;
    asker.ask({ points, kernel: s.kernel, learner: learner().name, params: s.params, proba: s.proba && learner().proba === 'asked', window: plot.window });
  };
  const asker = f.asker('classify', (stage, value) => {
    if (stage === 'fit') {
      fit = value;
      surface = value.surface;
      editor.accept(value.kernel);
      away.changed();
      f.read(value.readings, true);
      f.warn(value.warnings);
      plot.describe(describe());
    } else if (stage === 'surface') surface = value;
    else if (stage === 'judged') f.read(value.readings);
    plot.refresh();
  });

  const describe = () => `${points.class.length} points and the regions that ${learner().label} finds. Arrow keys move a cursor, Enter places or picks up a point, Delete erases one, 1 to 6 choose a class, [ and ] go through the points.`;
  const plot = f.plot({ label: 'Points of the plane', ratio: 0.8, draw: drawPlane }).pin();
  const editing = new Editing(plot, {
    points: () => points, kind: () => kind, erasing: () => erasing, most: f.catalogue.limits.points,
    chosen: (i) => picker.choose(i), full: showMessage,
    changed: () => { fit = fit && { ...fit, support: [], wrong: [], mistakes: [] }; data.edited(); f.keepView(plot.window); ask(); },
  });
  const picker = classPicker(f.catalogue.limits.classes, (k, e) => { kind = k; erasing = e; });

  function drawPlane() {
    const ground = plot.colours.ground;
    if (surface && s.surface) paintSurface(plot, surface, fit, s.proba || learner().proba === 'always', ground);
    if (surface && fit && s.margins) drawLines(plot, surface, fit);
    const weight = new Map((fit?.support ?? []).map((/** @type {number} */ i, /** @type {number} */ k) => [i, fit.weight?.[k] ?? 0]));
    const largest = Math.max(...weight.values(), 1e-300);
    const wrong = new Set(fit?.wrong ?? []);
    points.class.forEach((c, i) => plot.mark(points.xy[2 * i], points.xy[2 * i + 1], c, {
      ring: s.support && weight.has(i) ? 1.5 + 4.5 * Math.sqrt(weight.get(i) / largest) : 0, cross: wrong.has(i),
    }));
    const made = fit?.mistakes ?? [];
    if (made.length) {
      const i = made[made.length - 1]; // the last mistake: where the function changed
      plot.pen({ width: 2.5 });
      plot.g.strokeRect(plot.toX(points.xy[2 * i]) - 9, plot.toY(points.xy[2 * i + 1]) - 9, 18, 18);
    }
    editing.drawCursor();
  }

  const editor = new KernelEditor({ algebra: f.catalogue.algebra, kernels: f.catalogue.kernels.plane, value: s.kernel, changed: ask });
  const kernel = section('Kernel', editor.element);
  const data = new DataPanel({ catalogue: f.catalogue, scene: 'classify', source: s.data, points, loaded: (fresh) => {
    plot.titles = data.titles;
    plot.window = f.view(fresh ? around(points.xy.filter((_, i) => i % 2 === 0), points.xy.filter((_, i) => i % 2 === 1)) : { x0: -2, x1: 2, y0: -2, y1: 2 });
    plot.refresh();
    ask();
  } });
  const settings = h('div', { 'data-field': 'params' });
  const problem = h('p', { class: 'formula' });
  const proba = toggle({ label: 'probabilities', value: s.proba, changed: (v) => { s.proba = v; plot.refresh(); ask(); } });
  const rebuild = () => {
    fill(problem, ...formula(learner().formula));
    proba.element.hidden = learner().proba === '';
    kernel.hidden = Boolean(learner().own);
    fill(settings, ...settingControls(learner().settings, s.params, (n, v) => { s.params[n] = v; ask(); }));
  };
  const redraw = (/** @type {'surface'|'margins'|'support'} */ what, /** @type {string} */ label) => toggle({ label, value: s[what], changed: (v) => { s[what] = v; f.save(); plot.refresh(); } }).element;
  const away = takeAway({ name: 'classify', plot: () => plot, programs: () => {
    const { x, y, class: target } = data.columnNames();
    const l = learner();
    const params = { ...Object.fromEntries((l.settings ?? []).map((/** @type {any} */ q) => [q.name, q.default])), ...s.params };
    return programs({ table: 'points.csv', x: [x, y], target, learner: l.name === 'ridge' ? 'ridge-classes' : l.name, params, kernel: fit?.kernel.text ?? s.kernel.text, fixed: editor.lengths() });
  } });
  f.pictures.append(
    h('figure', { 'data-field': 'points' }, h('figcaption', {}, 'Click to place a point, drag to move it; right-click, Shift-click or “erase” takes it away. A ring is a support vector, as large as its weight; a cross, a point on the wrong side.'),
      h('div', { class: 'row' }, picker.element, clearButton(() => { data.choose('hand'); data.choice.select.value = 'hand'; })), plot.element),
    f.warnings);
  f.panel.append(
    section('Numbers', f.readings),
    section('Learner', menu({ label: 'Learner', value: s.learner, field: 'learner', options: learners.map((/** @type {any} */ l) => [l.name, l.label]), changed: (v) => { s.learner = v; rebuild(); ask(); } }).element, problem, settings, proba.element),
    kernel, data.element,
    section('Shown', redraw('surface', 'surface'), redraw('margins', 'boundary and margins'), redraw('support', 'support vectors by weight')), away.element);
  rebuild();
  data.begin();
  return { end: () => f.end() };
}

/**
 * Colours by the class that is predicted, deeper where the learner is surer.
 * @param {import('../plot.js').Plot} plot @param {import('../plot.js').Surface} surface @param {any} fit @param {boolean} proba @param {import('../colour.js').RGB} ground
 */
export function paintSurface(plot, surface, fit, proba, ground) {
  const two = fit?.classes?.length === 2;
  const values = surface.values[0];
  const p = proba ? surface.values[1] : undefined;
  const size = two ? 1 : Math.max(...values.map((v) => v ?? 0), 1e-12);
  const [low, high] = two ? fit.classes : [0, 0];
  plot.cells(surface, (i) => {
    if (two) {
      const v = values[i];
      if (v === null) return null;
      const t = p ? 2 * (p[i] ?? 0.5) - 1 : Math.max(-1, Math.min(1, v / 1.5));
      if (low < 0) return mix(ground, colourOf(0), t < 0 ? 0 : 0.15 + 0.45 * t); // a detector: inside and outside
      return signed(ground, t, low, high);
    }
    const sure = p ? (p[i] ?? 0) : Math.min(1, 0.35 + 0.65 * ((values[i] ?? 0) / size));
    return mix(ground, colourOf(surface.class?.[i] ?? 0), 0.6 * sure);
  }, false);
}

/** The boundary, and the margins where they mean something. @param {import('../plot.js').Plot} plot @param {import('../plot.js').Surface} surface @param {any} fit */
export function drawLines(plot, surface, fit) {
  if (fit.classes.length !== 2) {
    plot.borders(surface);
    return;
  }
  if (surface.values[1]) plot.contour(surface, surface.values[1], 0.5, { width: 2 }); // who knows probabilities goes by them
  else plot.contour(surface, surface.values[0], 0, { width: 2 });
  if (!fit.margins) return;
  for (const level of [-1, 1]) plot.contour(surface, surface.values[0], level, { width: 1.2, dash: [5, 4], colour: css(plot.colours.ink, 0.8) });
}
