// Denoise a digit: what is left of a drawing when only what digits have in common is kept.
// @ts-check
import { h } from '../dom.js';
import { menu, section, slider, button } from '../controls.js';
import { Frame } from '../frame.js';

const side = 16;
const defaults = { digit: 3, noise: 0.5, seed: 1, image: null, lengthscale: 10, components: 80, method: 'fixed-point' };

/** Numbers from a seed, the same on every machine (mulberry32). @param {number} seed */
function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {HTMLElement} root @param {import('../main.js').Env} env @param {HTMLElement} head */
export function open(root, env, head) {
  const f = new Frame(root, env, defaults);
  const s = f.settings;
  /** @type {number[]} */
  let clean = new Array(side * side).fill(0);
  /** @type {number[]} */
  let noisy = [...clean];
  const make = (/** @type {string} */ label) => h('canvas', { width: side, height: side, role: 'img', 'aria-label': label });
  const canvases = { noisy: make('The drawing with noise; draw on it'), clean: make('What kernel components leave of it'), linear: make('What as many linear components leave of it') };
  const paint = (/** @type {HTMLCanvasElement} */ c, /** @type {Array<number|null>} */ v) => {
    const g = /** @type {CanvasRenderingContext2D} */ (c.getContext('2d'));
    const img = g.createImageData(side, side);
    v.forEach((x, i) => {
      const shade = 255 - 255 * Math.min(Math.max(x ?? 0, 0), 1);
      img.data.set([shade, shade, shade, 255], 4 * i);
    });
    g.putImageData(img, 0, 0);
  };
  const addNoise = () => {
    const next = random(s.seed);
    const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    noisy = clean.map((v) => Number((v + s.noise * normal()).toFixed(3)));
  };
  const ask = () => {
    f.save();
    paint(canvases.noisy, noisy);
    asker.ask({ image: noisy.map((v) => Math.min(Math.max(v, -5), 5)), lengthscale: s.lengthscale, components: s.components, method: s.method, seed: 1 });
  };
  const asker = f.asker('denoise', (_, value) => {
    f.read(value.readings, true);
    paint(canvases.clean, value.clean);
    paint(canvases.linear, value.linear);
  });
  const digits = f.asker('digit', (_, value) => {
    clean = value.image;
    addNoise();
    ask();
  });
  const load = () => {
    s.image = null;
    digits.ask({ digit: s.digit, seed: s.seed });
  };
  let drawing = 0;
  const ink = (/** @type {PointerEvent} */ e) => {
    if (!drawing) return;
    const box = canvases.noisy.getBoundingClientRect();
    const x = ((e.clientX - box.left) / box.width) * side;
    const y = ((e.clientY - box.top) / box.height) * side;
    for (let r = 0; r < side; r++) for (let c = 0; c < side; c++) {
      const d = Math.hypot(c + 0.5 - x, r + 0.5 - y);
      const i = r * side + c;
      if (d < 1.4) noisy[i] = Math.min(Math.max(noisy[i] + drawing * Math.max(0, 1.4 - d), 0), 1);
    }
    s.image = noisy.map((v) => Math.round(100 * v));
    ask();
  };
  canvases.noisy.addEventListener('pointerdown', (/** @type {PointerEvent} */ e) => { canvases.noisy.setPointerCapture(e.pointerId); drawing = e.button === 2 || e.shiftKey ? -1 : 1; ink(e); });
  canvases.noisy.addEventListener('pointermove', ink);
  canvases.noisy.addEventListener('pointerup', () => { drawing = 0; });
  canvases.noisy.addEventListener('contextmenu', (/** @type {Event} */ e) => e.preventDefault());
  const pic = (/** @type {string} */ text, /** @type {any} */ c) => h('figure', {}, h('figcaption', {}, text), c);
  f.pictures.append(h('p', { class: 'hint' }, 'Draw on the first picture (right button or Shift erases), or take a digit with noise. The digits learned from are strokes with random slant, width and place.'),
    h('div', { class: 'pixels pinned', 'data-field': 'image' }, pic('with noise', canvases.noisy), pic('kernel components', canvases.clean), pic('linear components', canvases.linear)));
  f.panel.append(head, section('Numbers', f.readings),
    section('Digit', menu({ label: 'Digit', value: String(s.digit), options: Array.from({ length: 10 }, (_, i) => [String(i), String(i)]), changed: (v) => { s.digit = Number(v); load(); } }).element,
      slider({ label: 'noise', value: s.noise, low: 0, high: 1.5, changed: (v) => { s.noise = v; s.image = null; addNoise(); ask(); } }).element,
      button('Another', () => { s.seed++; load(); }), button('Blank', () => { clean = clean.map(() => 0); noisy = [...clean]; s.image = [...noisy]; ask(); })),
    section('Components', slider({ label: 'components', value: s.components, low: 1, high: 200, integer: true, log: true, field: 'components', changed: (v) => { s.components = v; ask(); } }).element,
      slider({ label: 'length-scale', value: s.lengthscale, low: 0.5, high: 50, log: true, field: 'lengthscale', changed: (v) => { s.lengthscale = v; ask(); } }).element,
      menu({ label: 'Pre-image by', value: s.method, field: 'method', options: [['fixed-point', 'fixed point (Mika)'], ['gradient', 'gradient'], ['learned', 'a learned map (Bakır)']], changed: (v) => { s.method = v; ask(); } }).element));
  if (s.image) {
    noisy = s.image.map((/** @type {number} */ v) => v / 100);
    clean = [...noisy];
    ask();
  } else load();
  return { end: () => f.end() };
}
