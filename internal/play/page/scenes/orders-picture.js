// Two rankings as two columns, with a line for each item: lines that cross are pairs in another order.
// @ts-check

const ns = 'http://www.w3.org/2000/svg';

/** @typedef {{items: string[], place: number[]}} Ordered */

/** The height of each item, those of one place beside each other; items of which nothing is known stand below a gap. @param {Ordered} r */
function heights(r) {
  const last = Math.max(...r.place, 0);
  return r.place.map((p) => (p < 0 ? last + 2 : p));
}

/** @param {Ordered} left @param {Ordered} right @returns {SVGElement} */
export function drawOrders(left, right) {
  const svg = document.createElementNS(ns, 'svg');
  const add = (/** @type {string} */ tag, /** @type {Record<string, string|number>} */ attributes, text = '') => {
    const e = document.createElementNS(ns, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
    e.textContent = text;
    svg.append(e);
  };
  const [a, b] = [heights(left), heights(right)];
  /** What stands at each height. @param {number[]} at */
  const rows = (at) => {
    /** @type {Map<number, string[]>} */
    const out = new Map();
    left.items.forEach((item, i) => out.set(at[i], [...(out.get(at[i]) ?? []), item]));
    return [...out].map(([place, tied]) => /** @type {[number, string]} */ ([place, tied.join(' = ')]));
  };
  const wide = 16 + 8 * Math.max(...[...rows(a), ...rows(b)].map(([, words]) => words.length));
  const y = (/** @type {number} */ place) => 20 + 26 * place;
  const from = wide;
  const to = wide + 180;
  const crossing = (/** @type {number} */ i) => a.some((_, j) => (a[i] - a[j]) * (b[i] - b[j]) < 0);
  left.items.forEach((_, i) => add('line', { x1: from + 6, y1: y(a[i]), x2: to - 6, y2: y(b[i]), stroke: 'currentColor', 'stroke-width': crossing(i) ? 2 : 1.2, 'stroke-opacity': crossing(i) ? 0.9 : 0.4 }));
  for (const [at, x, anchor] of /** @type {Array<[number[], number, string]>} */ ([[a, from, 'end'], [b, to, 'start']])) {
    for (const [place, words] of rows(at)) add('text', { x, y: y(place) + 4, 'text-anchor': anchor, 'font-size': 13, fill: 'currentColor' }, words);
  }
  const width = to + wide;
  const height = y(Math.max(...a, ...b)) + 14;
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'The two rankings; lines that cross are pairs that they order differently');
  svg.style.maxWidth = `${1.3 * width}px`;
  svg.style.width = '100%';
  return svg;
}
