// Rows of many columns as points of the plane: principal components, kernel components, and a Gaussian process of latent points.
// @ts-check
import { h } from '../dom.js';
import { menu, section, slider, button } from '../controls.js';
import { Frame } from '../frame.js';
import { takeAway } from '../take-away.js';
import { KernelEditor } from '../kernel-editor.js';
import { around } from '../plot.js';
import { css, shade, colourOf } from '../colour.js';

const defaults = { set: 'flow', n: 100, seed: 1, kernel: { text: 'gaussian(lengthscale=2)' } };

/** @type {Array<[string, string, string, string]>} */
const methods = [['pca', 'Principal components', 'the best plane', 'PCA'], ['kernel-pca', 'Kernel principal components', 'the best plane of feature space', 'kernel PCA'],
  ['gplvm', 'Gaussian process latent variables', 'each column is a random function of the place; the deeper the shade, the surer', 'GPLVM']];

/** @param {HTMLElement} root @param {import('../main.js').Env} env @param {HTMLElement} head */
export function open(root, env, head) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  /** @type {Record<string, any>} */
  let found = {};
  const ask = () => {
    f.save();
    waiting.textContent = 'The latent points are being found …';
    asker.ask({ set: s.set, n: s.n, seed: s.seed, kernel: s.kernel });
  };
  const asker = f.asker('latent', (stage, value) => {
    found[stage] = value;
    if (stage === 'pca') f.read([], true);
    if (value.kernel) editor.accept(value.kernel);
    const short = methods.find(([m]) => m === stage)?.[3] ?? '';
    f.read(value.readings.map((/** @type {any} */ r) => ({ ...r, label: `${short}: ${r.label}` })));
    if (!value.names) legend.replaceChildren();
    else legend.replaceChildren(...value.names.map((/** @type {string} */ n, /** @type {number} */ i) => {
      const mark = h('i', {});
      mark.style.borderColor = css(colourOf(i));
      return h('li', {}, mark, n);
    }));
    if (stage === 'gplvm') waiting.textContent = value.note ?? '';
    for (const p of f.plots) p.refresh();
  });
  const figures = methods.map(([method, label, text]) => {
    const plot = f.plot({ label: `${label}: rows as points of the plane`, ratio: method === 'gplvm' ? 0.55 : 0.75, draw: () => {
      const v = found[method];
      if (!v) return;
      plot.window = v.surface?.window ?? around(v.xy[0], v.xy[1], 0.1);
      if (v.surface) {
        const std = v.surface.values[0];
        const low = Math.min(...std);
        const high = Math.max(...std);
        plot.cells(v.surface, (i) => shade(plot.colours.ground, 0.45 * (1 - (std[i] - low) / (high - low || 1))));
      }
      v.class.forEach((/** @type {number} */ c, /** @type {number} */ i) => plot.mark(v.xy[0][i], v.xy[1][i], c, { size: 4 }));
    } });
    if (method === 'kernel-pca') plot.pin();
    return h('figure', { 'data-method': method }, h('figcaption', {}, `${label}: ${text}`), plot.element);
  });
  const editor = new KernelEditor({ algebra: f.catalogue.algebra, kernels: f.catalogue.kernels.plane, value: s.kernel, changed: ask });
  const legend = h('ul', { class: 'legend', 'aria-label': 'Classes' });
  const waiting = h('p', { class: 'note', role: 'status' });
  const sets = [['flow', 'oil, water and gas in a pipe: 12 numbers'], ['iris', 'iris: 4 numbers'], ['digits', 'digits 0, 1 and 7: 256 pixels'], ['sheet', 'points near a plane of space: 3 numbers']];
  if (f.catalogue.own) sets.push(['own', `your ${f.catalogue.own}: its numbers`]);
  f.pictures.append(legend, h('div', { class: 'picture-grid wide', 'data-field': 'points' }, ...figures), waiting);
  f.panel.append(head, section('Numbers', f.readings),
    section('Rows', menu({ label: 'Set', value: s.set, field: 'set', options: /** @type {Array<[string, string]>} */ (sets), changed: (v) => { s.set = v; found = {}; ask(); } }).element,
      slider({ label: 'rows', value: s.n, low: 20, high: 200, integer: true, field: 'n', changed: (v) => { s.n = v; ask(); } }).element,
      button('Draw again', () => { s.seed++; ask(); }, 'The same set with other random numbers')),
    section('Kernel of the components', editor.element), takeAway({ name: 'latent', plot: () => f.plots[2] }).element);
  ask();
  return { end: () => f.end() };
}
