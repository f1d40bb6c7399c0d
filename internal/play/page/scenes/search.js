// Search: the map of a kernel's parameter and a learner's, filling in as cells are judged.
// @ts-check
import { h, show } from '../dom.js';
import { menu, section, slider, button } from '../controls.js';
import { Frame } from '../frame.js';
import { KernelEditor } from '../kernel-editor.js';
import { DataPanel, source } from '../data-panel.js';
import { around } from '../plot.js';
import { css, colourOf, shade } from '../colour.js';
import { paintSurface, drawLines } from './classify.js';
import { writeAddress } from '../state.js';
import { once } from '../api.js';
import { takeAway } from '../take-away.js';
import { atLeast, twoClasses } from '../enough.js';

export const name = 'search';
export const title = 'Search';

const defaults = { task: 'classify', data: source('spirals'), kernel: { text: 'gaussian(lengthscale=1)' }, learner: 'svm', across: { name: 'gaussian.lengthscale', low: 0.02, high: 5, steps: 16 }, up: { low: 0.1, high: 1000, steps: 12 }, folds: 5, seed: 1, cell: null };
/** The parameter of each learner that the map goes up by. @type {Record<string, string>} */
const upward = { svm: 'C', ridge: 'lambda', logistic: 'lambda' };

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  const plane = s.task === 'classify';
  if (!plane && s.data.name === 'spirals') s.data.name = 'sinc';
  if (!plane && s.learner === 'logistic') s.learner = 'ridge';
  /** @type {{xy: number[], class: number[]}} */
  const points = { xy: [], class: [] };
  /** @type {any} */
  let plan = null;
  /** @type {Map<string, any>} */
  let cells = new Map();
  /** @type {any} */
  let model = null;
  /** @type {any} */
  let surface = null;
  /** @type {string|null} the cell that the person or the address chose; the best where nobody did */
  let picked = s.cell;
  const key = (/** @type {number} */ x, /** @type {number} */ y) => `${x.toPrecision(9)} ${y.toPrecision(9)}`;
  const ask = () => {
    f.save();
    if (f.lacks([picture, map], (plane ? twoClasses(points, 2) : atLeast(points, 4)) && `Too few points to search with: choose a set, or draw some in ${plane ? 'Classify' : 'Regress'}.`, () => { plan = model = surface = null; cells = new Map(); chosen.textContent = progress.textContent = ''; })) return;
    asker.ask({ points: plane ? points : { xy: points.xy }, kernel: s.kernel, task: s.task, learner: s.learner, across: s.across, up: { ...s.up, name: upward[s.learner] }, folds: s.folds, seed: s.seed });
  };
  const asker = f.asker('search', (stage, value) => {
    if (stage === 'plan') {
      plan = value;
      cells = new Map();
      editor.accept(value.kernel);
      f.read([], true);
      progress.textContent = 'Judging …';
    } else if (stage === 'cells') {
      for (const c of value) cells.set(key(c.x, c.y), c);
      progress.textContent = `${cells.size} of ${plan.x.length * plan.y.length} cells judged`;
    } else {
      f.read(value.readings, true);
      progress.textContent = 'Click a cell to see its model.';
      choose(cells.get(picked ?? '') ?? value.best);
    }
    map.refresh();
  });

  const map = f.plot({ label: 'Scores over the two parameters', ratio: 0.62, logX: true, logY: true, draw: drawMap }).pin();
  map.canvas.tabIndex = 0;
  const edges = (/** @type {number[]} */ v) => {
    const r = Math.sqrt(v[1] / v[0]);
    return [v[0] / r, v[v.length - 1] * r, r];
  };
  function drawMap() {
    if (!plan) return;
    const [x0, x1, rx] = edges(plan.x);
    const [y0, y1, ry] = edges(plan.y);
    map.window = { x0, x1, y0, y1 };
    map.titles = [s.across.name, upward[s.learner]];
    const scores = [...cells.values()].map((c) => c.mean).filter((v) => typeof v === 'number');
    const low = Math.min(...scores);
    const high = Math.max(...scores);
    const chosen = s.cell;
    for (const c of cells.values()) {
      const left = map.toX(c.x / rx);
      const top = map.toY(c.y * ry);
      const t = typeof c.mean === 'number' ? (high > low ? (c.mean - low) / (high - low) : 0.5) : 0;
      map.g.fillStyle = css(shade(map.colours.ground, 0.08 + 0.92 * (plan.maximize ? t : 1 - t)));
      map.g.fillRect(left, top, map.toX(c.x * rx) - left + 0.5, map.toY(c.y / ry) - top + 0.5);
      if (key(c.x, c.y) === chosen) {
        map.pen({ colour: css(colourOf(4)), width: 3 });
        map.g.strokeRect(left + 1.5, top + 1.5, map.toX(c.x * rx) - left - 3, map.toY(c.y / ry) - top - 3);
      }
    }
  }
  /** @param {any} c */
  function choose(c) {
    if (!c) return;
    s.cell = key(c.x, c.y);
    f.save();
    map.refresh();
    chosen.replaceChildren(`${s.across.name} = ${show(c.x, 3)}, ${upward[s.learner]} = ${show(c.y, 3)}: ${plan.metric} ${show(c.mean)} ± ${show(c.se, 2)}${c.failed ? ` (${c.failed})` : ''} `,
      h('a', { href: writeAddress(plane ? 'classify' : 'regress', { data: s.data, kernel: { text: s.kernel.text, set: { [s.across.name]: c.x } }, learner: s.learner, params: { [upward[s.learner]]: c.y } }) }, 'Open it'));
    const fields = { kernel: { text: s.kernel.text, set: { [s.across.name]: c.x } }, learner: s.learner, params: { [upward[s.learner]]: c.y }, window: picture.window };
    models.ask(plane ? { ...fields, points, proba: false } : { ...fields, points: { xy: points.xy }, bumps: false, samples: 0, seed: 1 });
  }
  /** @param {number} dx @param {number} dy */
  const step = (dx, dy) => {
    if (!plan || !s.cell) return;
    const [x, y] = s.cell.split(' ').map(Number);
    const at = (/** @type {number[]} */ v, /** @type {number} */ p) => v.findIndex((q) => Math.abs(q / p - 1) < 1e-5);
    const i = Math.min(Math.max(at(plan.x, x) + dx, 0), plan.x.length - 1);
    const j = Math.min(Math.max(at(plan.y, y) + dy, 0), plan.y.length - 1);
    const next = [...cells.values()].find((c) => at(plan.x, c.x) === i && at(plan.y, c.y) === j);
    picked = next ? key(next.x, next.y) : null;
    choose(next);
  };
  map.canvas.addEventListener('click', (/** @type {MouseEvent} */ e) => {
    const box = map.canvas.getBoundingClientRect();
    const [x, y] = map.place(e.clientX - box.left, e.clientY - box.top);
    let best = null;
    let far = Infinity;
    for (const c of cells.values()) {
      const d = Math.abs(Math.log(c.x / x)) / Math.log(map.window.x1 / map.window.x0) + Math.abs(Math.log(c.y / y)) / Math.log(map.window.y1 / map.window.y0);
      if (d < far) { far = d; best = c; }
    }
    picked = best && key(best.x, best.y);
    choose(best);
  });
  map.canvas.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (!by) return;
    e.preventDefault();
    step(by[0], by[1]);
  });
  const models = f.asker(plane ? 'classify' : 'regress', (stage, value) => {
    if (stage === 'fit') { model = value; surface = value.surface ?? null; } else if (stage === 'surface') surface = value;
    picture.refresh();
  });
  const picture = f.plot({ label: 'The model of the chosen cell', ratio: 0.62, draw: () => {
    if (plane && surface && model) {
      paintSurface(picture, surface, model, false, picture.colours.ground);
      drawLines(picture, surface, model);
    }
    if (!plane && model) picture.line(model.x, model.f, { colour: css(colourOf(0)), width: 2.4 });
    points.class.forEach((c, i) => picture.mark(points.xy[2 * i], points.xy[2 * i + 1], plane ? c : 1, { size: 3.4 }));
  } });

  const editor = new KernelEditor({ algebra: f.catalogue.algebra, kernels: plane ? f.catalogue.kernels.plane : f.catalogue.kernels.line, value: s.kernel, changed: () => { guess(); } });
  /** The parameter across is one that the kernel has: the first, where it no longer has the one before. */
  const guess = async () => {
    s.cell = picked = null;
    try {
      const facts = await once('kernel', { kernel: s.kernel });
      const names = (facts.params ?? []).map((/** @type {any} */ p) => p.name);
      if (!names.includes(s.across.name) && names.length) s.across.name = names.find((/** @type {string} */ n) => n.endsWith('lengthscale')) ?? names[0];
      axis.input.value = s.across.name;
    } catch { /* the search says what is wrong with the text */ }
    ask();
  };
  const axis = { input: h('input', { type: 'text', value: s.across.name, class: 'code', spellcheck: false, 'aria-label': 'Kernel parameter across', oninput: () => { s.across.name = axis.input.value; s.cell = picked = null; ask(); } }) };
  const data = new DataPanel({ catalogue: f.catalogue, scene: plane ? 'search' : 'search-line', source: s.data, points, line: !plane, loaded: () => {
    picture.window = around(points.xy.filter((_, i) => i % 2 === 0), points.xy.filter((_, i) => i % 2 === 1));
    model = surface = null;
    ask();
  } });
  const progress = h('p', { class: 'note', role: 'status', 'data-progress': '' });
  const chosen = h('p', { 'data-chosen': '' });
  const reopen = (/** @type {Record<string, any>} */ settings) => {
    env.settings = settings;
    f.end();
    root.replaceChildren();
    again = open(root, env);
    env.save(settings);
  };
  const range = (/** @type {'across'|'up'} */ which) => ['low', 'high'].map((e) => slider({ label: `${which === 'across' ? 'across' : 'up'}: ${e === 'low' ? 'from' : 'to'}`, value: s[which][e], low: 1e-4, high: 1e4, log: true, field: which, changed: (v) => { s[which][e] = v; s.cell = picked = null; ask(); } }).element);
  f.pictures.append(h('figure', {}, h('figcaption', {}, 'Cross-validated score of every cell: the deeper the blue, the better. Arrow keys go from cell to cell.'), map.element, progress), chosen, h('figure', { 'data-field': 'points' }, picture.element));
  f.panel.append(section('Numbers', f.readings),
    section('Search',
      menu({ label: 'Task', value: s.task, options: [['classify', 'classify (plane)'], ['regress', 'regress (line)']], changed: (v) => reopen(v === 'regress' ? { task: v, learner: 'ridge', data: source('sinc'), up: { low: 1e-5, high: 10, steps: 12 } } : { task: v }) }).element,
      menu({ label: 'Learner', value: s.learner, field: 'learner', options: (plane ? [['svm', 'support vector machine: σ and C'], ['ridge', 'ridge: σ and λ'], ['logistic', 'logistic: σ and λ']] : [['ridge', 'ridge: σ and λ'], ['svm', 'support vector regression: σ and C']]), changed: (v) => { s.learner = v; s.cell = picked = null; ask(); } }).element,
      h('div', { 'data-field': 'across' }, h('label', {}, 'Kernel parameter across ', axis.input)), ...range('across'), ...range('up'),
      slider({ label: 'folds', value: s.folds, low: 2, high: 20, integer: true, field: 'folds', changed: (v) => { s.folds = v; ask(); } }).element,
      button('Other folds', () => { s.seed++; ask(); })),
    section('Kernel', editor.element), data.element, takeAway({ name: 'search', plot: () => map }).element);
  data.begin();
  /** @type {{end: () => void}|null} */
  let again = null;
  return { end: () => { f.end(); again?.end(); } };
}
