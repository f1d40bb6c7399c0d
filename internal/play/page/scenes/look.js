// Look at a kernel: what it is near a point, the functions it makes, and the features it stands for; two side by side.
// @ts-check
import { h } from '../dom.js';
import { menu, section, slider, button } from '../controls.js';
import { Frame } from '../frame.js';
import { takeAway } from '../take-away.js';
import { KernelEditor } from '../kernel-editor.js';
import { around } from '../plot.js';
import { colourOf, css } from '../colour.js';
import { showReadings } from '../dom.js';

export const name = 'look';
export const title = 'Kernels';

const defaults = { first: { text: 'gaussian(lengthscale=1)' }, second: { text: 'matern(nu=0.5, lengthscale=1)' }, at: 0, low: -4, high: 4, samples: 4, seed: 1, features: 20, measure: 'even', terms: 4 };

/** @param {HTMLElement} root @param {import('../main.js').Env} env */
export function open(root, env) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  const sides = [side('first', 'First kernel'), side('second', 'Second kernel')];

  /** @param {'first'|'second'} which @param {string} label */
  function side(which, label) {
    /** @type {any} */
    let k = null;
    const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 4], [1, 3]];
    const picture = (/** @type {string} */ what, /** @type {(p: any) => void} */ draw, /** @type {any} */ more = {}) => {
      const p = f.plot({ label: `${label}: ${what}`, ratio: 0.5, draw: () => k && draw(p), ...more });
      return p;
    };
    const fitY = (/** @type {any} */ p, /** @type {Array<Array<number|null>>} */ all) => {
      p.window = { ...around([s.low, s.high], /** @type {number[]} */ (all.flat().filter((v) => v !== null)), 0.08), x0: s.low, x1: s.high };
    };
    const many = (/** @type {any} */ p, /** @type {Array<Array<number|null>>} */ all) => {
      fitY(p, all.length ? all : [[-1, 1]]);
      all.forEach((y, i) => p.line(k.x, y, { colour: css(colourOf(i)), dash: dashes[i % 6], width: 1.7 }));
    };
    const plots = {
      section: picture('k(x₀, ·) with its approximations', (p) => {
        fitY(p, [k.section, k.random ?? [], k.expansion ?? []]);
        if (k.random) p.line(k.x, k.random, { colour: css(colourOf(1)), width: 1.5 });
        if (k.expansion) p.line(k.x, k.expansion, { colour: css(colourOf(2)), width: 1.5, dash: [6, 3] });
        p.line(k.x, k.section, { colour: css(colourOf(0)), width: 2.6 });
      }),
      samples: picture('sample functions', (p) => many(p, k.samples ?? [])),
      functions: picture('Mercer eigenfunctions', (p) => many(p, k.functions ?? [])),
      spectrum: picture('spectrum of K/n', (p) => {
        const good = k.spectrum.filter((/** @type {number|null} */ v) => v !== null && v > 1e-17);
        p.window = { x0: 0, x1: Math.max(good.length, 2), y0: Math.max(Math.min(...good), 1e-17) / 2, y1: 2 * Math.max(...good, 1e-16) };
        good.forEach((/** @type {number} */ v, /** @type {number} */ i) => p.mark(i + 0.5, v, 0, { size: 2.6 }));
      }, { logY: true, xTitle: 'place', ratio: 0.5 }),
      embedded: picture('empirical feature map, two coordinates', (p) => {
        // A feature that is constant shows nothing: the two that vary most of those there are.
        const spread = (/** @type {number[]} */ v) => Math.max(...v) - Math.min(...v);
        const shown = [...(k.embedded ?? []).keys()].sort((i, j) => spread(k.embedded[j]) - spread(k.embedded[i])).slice(0, 2).sort();
        if (shown.length < 2) return;
        p.titles = shown.map((i) => `φ${'₁₂₃'[i]}(x)`);
        const [a, b] = shown.map((i) => k.embedded[i]);
        p.window = around(a, b, 0.1);
        p.line(a, b, { colour: css(colourOf(0)), width: 2 });
        const at = Math.round(((s.at - s.low) / (s.high - s.low)) * (k.x.length - 1));
        if (at >= 0 && at < k.x.length) p.mark(a[at], b[at], 4, { size: 5 });
      }, { xTitle: 'φ₁(x)', yTitle: 'φ₂(x)' }),
    };
    plots.section.pin();
    const readings = h('dl', { class: 'readings small', 'aria-label': `Numbers of the ${label.toLowerCase()}` });
    const notes = h('p', { class: 'note' });
    const editor = new KernelEditor({ algebra: f.catalogue.algebra, title: label, field: which, kernels: f.catalogue.kernels.line, value: s[which], changed: ask });
    const asker = f.asker('look', (_, value) => {
      k = value;
      editor.accept(value.kernel);
      showReadings(readings, value.readings);
      notes.textContent = (value.notes ?? []).join(' ');
      for (const p of Object.values(plots)) p.refresh();
    });
    const fig = (/** @type {string} */ text, /** @type {any} */ p) => h('figure', {}, h('figcaption', {}, text), p.element);
    const element = h('div', { class: 'pictures', 'data-side': which },
      h('h2', { class: 'plain' }, label),
      fig('k(x₀, ·): blue the kernel, orange by random features, green dashed by the eigenfunctions shown', plots.section),
      fig('Functions drawn from GP(0, k)', plots.samples), fig('Mercer eigenfunctions on the interval', plots.functions),
      fig('Eigenvalues of K/n, largest first', plots.spectrum), fig('The interval in feature space; the mark is x₀', plots.embedded), readings, notes);
    function ask() {
      f.save();
      asker.ask({ kernel: s[which], at: s.at, low: s.low, high: s.high, samples: s.samples, seed: s.seed, features: s.features, measure: s.measure, terms: s.terms });
    }
    return { element, editor, ask };
  }

  const both = () => sides.forEach((x) => x.ask());
  const end = (/** @type {'low'|'high'} */ which, /** @type {string} */ label) => slider({ label, value: s[which], low: -10, high: 10, field: 'window', changed: (v) => { s[which] = v; both(); } }).element;
  f.pictures.append(h('div', { class: 'two' }, ...sides.map((x) => x.element)));
  f.panel.append(section('Kernels', ...sides.map((x) => x.editor.element)),
    section('Shown',
      slider({ label: 'x₀', value: s.at, low: -4, high: 4, field: 'at', changed: (v) => { s.at = v; both(); } }).element,
      end('low', 'from'), end('high', 'to'),
      slider({ label: 'sample functions', value: s.samples, low: 0, high: 12, integer: true, field: 'samples', changed: (v) => { s.samples = v; both(); } }).element,
      slider({ label: 'random frequencies m', value: s.features, low: 1, high: 2000, integer: true, log: true, field: 'features', changed: (v) => { s.features = v; both(); } }).element,
      slider({ label: 'eigenfunctions', value: s.terms, low: 1, high: 12, integer: true, field: 'terms', changed: (v) => { s.terms = v; both(); } }).element,
      menu({ label: 'Measure of the expansion', value: s.measure, options: [['even', 'even on the interval'], ['normal', 'normal in its middle']], changed: (v) => { s.measure = v; both(); } }).element,
      button('Draw again', () => { s.seed++; both(); })), takeAway({ name: 'kernel', plot: () => f.plots[0] }).element);
  both();
  return { end: () => f.end() };
}
