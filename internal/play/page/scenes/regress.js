// Regress: points of a curve with noise, and the curve that a learner draws through them.
// @ts-check
import { h, fill, formula } from '../dom.js';
import { menu, section, settingControls, toggle, slider, button } from '../controls.js';
import { Frame } from '../frame.js';
import { KernelEditor } from '../kernel-editor.js';
import { DataPanel, source } from '../data-panel.js';
import { Editing } from '../editing.js';
import { clearButton } from '../class-picker.js';
import { around } from '../plot.js';
import { colourOf, css, shade } from '../colour.js';
import { showMessage } from '../messages.js';
import { takeAway } from '../take-away.js';
import { programs } from '../programs.js';
import { atLeast } from '../enough.js';

export const name = 'regress';
export const title = 'Regress';

const defaults = { data: source('sinc'), kernel: { text: 'gaussian(lengthscale=1)' }, learner: 'ridge', params: {}, bumps: false, samples: 0, prior: false, seed: 1, window: null };

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  /** @type {{xy: number[], class: number[]}} */
  const points = { xy: [], class: [] };
  let erasing = false;
  /** @type {any} */
  let fit = null;
  /** @type {any} */
  let curve = null;
  const learners = f.catalogue.regress;
  const learner = () => learners.find((/** @type {any} */ l) => l.name === s.learner) ?? learners[0];
  const first = () => learner().settings?.[0]; // none: there is nothing to vary
  const value = () => s.params[first().name] ?? first().default;

  const ask = () => {
    f.save();
    if (f.lacks([plot, errors], atLeast(points, 2), () => { fit = curve = null; band.textContent = ''; inside.hidden = true; })) return;
    asker.ask({ points: { xy: points.xy }, kernel: s.kernel, learner: learner().name, params: s.params, window: plot.window, bumps: s.bumps, samples: learner().name === 'gp' ? s.samples : 0, seed: s.seed });
    errors.refresh();
  };
  const asker = f.asker('regress', (stage, answer) => {
    if (stage === 'fit') {
      fit = answer;
      if (answer.kernel) editor.accept(answer.kernel);
      away.changed();
      f.read(answer.readings, true);
      f.warn(answer.warnings);
      band.textContent = answer.band ?? '';
      inside.hidden = !answer.basis;
      if (answer.basis) for (const p of [basis, design]) p.resize();
    } else {
      curve = answer;
      f.read([{ name: 'best', label: `best ${first().label} (${answer.how})`, value: answer.best }]);
      caption.textContent = `Root mean square error, ${answer.how}, as ${first().label} moves.`;
    }
    plot.refresh();
    errors.refresh();
  });

  const plot = f.plot({ label: 'Points and the fitted curve. Arrow keys move a cursor, Enter places or picks up a point, Delete erases one.', ratio: 0.6, draw: drawCurve }).pin();
  const editing = new Editing(plot, { points: () => points, kind: () => 0, erasing: () => erasing, most: f.catalogue.limits.points, full: showMessage, changed: () => { data.edited(); f.keepView(plot.window); ask(); } });
  const errors = f.plot({ label: 'Error of points left out', ratio: 0.28, draw: drawErrors });
  const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 4], [1, 3]];
  const basis = f.plot({ label: 'Basis functions', ratio: 0.6, draw: () => {
    if (!fit?.basis) return;
    basis.window = { ...around([], fit.basis.flat().filter((/** @type {number|null} */ v) => v !== null), 0.06), x0: plot.window.x0, x1: plot.window.x1 };
    fit.basis.forEach((/** @type {number[]} */ y, /** @type {number} */ j) => basis.line(fit.x, y, { colour: css(colourOf(j)), dash: dashes[Math.floor(j / 6) % 6], width: 1.6 }));
  } });
  const design = f.plot({ label: 'Design matrix: a row for each point, a column for each centre', ratio: 0.6, xTitle: 'centre', yTitle: 'point', draw: () => {
    if (!fit?.design) return;
    const { rows, values } = fit.design;
    const columns = values.length / rows;
    const most = Math.max(...values.map((/** @type {number|null} */ v) => Math.abs(v ?? 0)), 1e-300);
    design.window = { x0: 0.5, x1: columns + 0.5, y0: 0.5, y1: rows + 0.5 };
    values.forEach((/** @type {number|null} */ v, /** @type {number} */ i) => {
      const left = design.toX((i % columns) + 0.5);
      const top = design.toY(Math.floor(i / columns) + 1.5);
      design.g.fillStyle = css(shade(design.colours.ground, Math.abs(v ?? 0) / most));
      design.g.fillRect(left, top, design.toX((i % columns) + 1.5) - left + 0.5, design.toY(Math.floor(i / columns) + 0.5) - top + 0.5);
    });
  } });

  function drawCurve() {
    if (fit) {
      const blue = colourOf(0);
      if (fit.density) {
        const most = Math.max(...fit.density.values[0].map((/** @type {number|null} */ v) => v ?? 0), 1e-12);
        plot.cells(fit.density, (i) => shade(plot.colours.ground, Math.sqrt((fit.density.values[0][i] ?? 0) / most)));
      }
      if (fit.wide) plot.band(fit.x, fit.wide[0], fit.wide[1], css(blue, 0.1));
      if (fit.low) plot.band(fit.x, fit.low, fit.high, css(blue, 0.2));
      if (s.prior) for (const y of fit.prior ?? []) plot.line(fit.x, y, { colour: css(plot.colours.quiet, 0.55), width: 1, dash: [3, 3] });
      for (const y of fit.posterior ?? []) plot.line(fit.x, y, { colour: css(colourOf(2), 0.75), width: 1.1 });
      for (const y of fit.bumps ?? []) plot.line(fit.x, y, { colour: css(colourOf(4), 0.5), width: 1 });
      plot.line(fit.x, fit.f, { colour: css(fit.density ? colourOf(1) : blue), width: 2.6 });
    }
    const support = new Set(fit?.support ?? []);
    points.class.forEach((_, i) => plot.mark(points.xy[2 * i], points.xy[2 * i + 1], 1, { size: 3.8, ring: support.has(i) ? 2.5 : 0 }));
    editing.drawCursor();
  }

  function drawErrors() {
    if (!curve || curve.setting !== first()?.name) return;
    const log = Boolean(first().log);
    const good = curve.errors.filter((/** @type {number|null} */ v) => v !== null);
    errors.logX = log;
    errors.window = { ...around(curve.values, good, 0.08), x0: Math.min(first().low, value()), x1: Math.max(first().high, value()) };
    errors.line(curve.values, curve.errors, { colour: css(colourOf(4)), width: 2 });
    errors.line([value(), value()], [errors.window.y0, errors.window.y1], { dash: [4, 3] });
  }

  const editor = new KernelEditor({ algebra: f.catalogue.algebra, kernels: f.catalogue.kernels.line, value: s.kernel, changed: ask });
  const data = new DataPanel({ catalogue: f.catalogue, scene: 'regress', source: s.data, points, line: true, loaded: (fresh) => {
    plot.titles = data.titles;
    plot.window = f.view(fresh ? around(points.xy.filter((_, i) => i % 2 === 0), points.xy.filter((_, i) => i % 2 === 1), 0.15) : { x0: 0, x1: 10, y0: -2, y1: 2 });
    plot.refresh();
    ask();
  } });
  const settings = h('div', { 'data-field': 'params' });
  const problem = h('p', { class: 'formula' });
  const band = h('p', { class: 'note' });
  const caption = h('figcaption', {}, 'Error of points left out.');
  const judged = h('figure', {}, caption, errors.element);
  const inside = h('div', { class: 'picture-grid', hidden: true }, h('figure', {}, h('figcaption', {}, 'Basis functions φⱼ'), basis.element), h('figure', {}, h('figcaption', {}, 'Design matrix φⱼ(xᵢ): the deeper, the larger; points in the order of x'), design.element));
  const process = h('div', {},
    slider({ label: 'sample functions', value: s.samples, low: 0, high: 12, integer: true, field: 'samples', changed: (v) => { s.samples = v; ask(); } }).element,
    toggle({ label: 'from the prior too', value: s.prior, changed: (v) => { s.prior = v; f.save(); plot.refresh(); } }).element,
    button('Draw again', () => { s.seed++; ask(); }));
  const bumps = toggle({ label: 'f as its sum of bumps αᵢk(xᵢ, ·)', value: s.bumps, changed: (v) => { s.bumps = v; ask(); } });
  const kernel = section('Kernel', editor.element);
  const rebuild = () => {
    fill(problem, ...formula(learner().formula));
    kernel.hidden = bumps.element.hidden = !learner().kernel;
    process.hidden = learner().name !== 'gp';
    judged.hidden = !first();
    inside.hidden = true;
    curve = null;
    fill(settings, ...settingControls(learner().settings, s.params, (n, v) => { s.params[n] = v; ask(); }));
  };
  const away = takeAway({ name: 'regress', plot: () => plot, programs: () => {
    const { x, y } = data.columnNames();
    const l = learner();
    const params = { ...Object.fromEntries((l.settings ?? []).map((/** @type {any} */ q) => [q.name, q.default])), ...s.params };
    return programs({ table: 'points.csv', x: [x], target: y, learner: l.name, params, kernel: fit?.kernel?.text ?? s.kernel.text, fixed: editor.lengths() });
  } });
  f.pictures.append(
    h('figure', { 'data-field': 'points' }, h('figcaption', {}, 'Click to place a point, drag to move it; right-click, Shift-click or “erase” takes it away.'),
      h('div', { class: 'row' }, toggle({ label: 'erase', value: false, changed: (v) => { erasing = v; } }).element, clearButton(() => { data.choose('hand'); data.choice.select.value = 'hand'; })), plot.element, band),
    inside, judged, f.warnings);
  f.panel.append(section('Numbers', f.readings),
    section('Learner', menu({ label: 'Learner', value: s.learner, field: 'learner', options: learners.map((/** @type {any} */ l) => [l.name, l.label]), changed: (v) => { s.learner = v; rebuild(); ask(); } }).element, problem, settings, process, bumps.element),
    kernel, data.element, away.element);
  rebuild();
  data.begin();
  return { end: () => f.end() };
}
