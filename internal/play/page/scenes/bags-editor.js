// Two sets of points in one picture, with the cells of a grid in which they meet.
// @ts-check
import { h } from '../dom.js';
import { slider } from '../controls.js';
import { Editing } from '../editing.js';
import { classPicker } from '../class-picker.js';
import { around } from '../plot.js';
import { css, colourOf } from '../colour.js';
import { showMessage } from '../messages.js';

/**
 * @param {import('../frame.js').Frame} f
 * @param {{kernel: {text: string}, points: {xy: number[], class: number[]}, grid: number}} own
 * @param {() => void} ask
 */
export function bagsEditor(f, own, ask) {
  let kind = 0;
  let erasing = false;
  const p = own.points;
  const window_ = around(p.xy.filter((_, i) => i % 2 === 0), p.xy.filter((_, i) => i % 2 === 1), 0.2);
  const side = () => Number(/side=([\d.]+)/.exec(own.kernel.text)?.[1] ?? 1) * 2 ** own.grid;
  const plot = f.plot({ label: 'Two sets of points and the cells in which they meet. Arrow keys move a cursor, Enter places or picks up a point, Delete erases one, 1 and 2 choose a set.', ratio: 0.8, draw: () => {
    plot.window = window_;
    if (/pyramid/.test(own.kernel.text)) drawCells();
    p.class.forEach((c, i) => plot.mark(p.xy[2 * i], p.xy[2 * i + 1], c, { size: 5 }));
    editing.drawCursor();
  } }).pin();
  function drawCells() {
    const a = side();
    const places = (/** @type {number} */ low, /** @type {number} */ high) => {
      const from = Math.ceil(low / a);
      return Array.from({ length: Math.max(0, Math.min(Math.floor(high / a) - from + 1, 400)) }, (_, i) => (from + i) * a);
    };
    // A cell is filled where both sets have points in it.
    /** @type {Map<string, number[]>} */
    const count = new Map();
    p.class.forEach((c, i) => {
      const at = `${Math.floor(p.xy[2 * i] / a)} ${Math.floor(p.xy[2 * i + 1] / a)}`;
      const n = count.get(at) ?? [0, 0];
      n[c]++;
      count.set(at, n);
    });
    for (const [at, n] of count) {
      if (!n[0] || !n[1]) continue;
      const [x, y] = at.split(' ').map(Number);
      plot.g.fillStyle = css(colourOf(2), 0.28);
      const left = plot.toX(x * a);
      const top = plot.toY((y + 1) * a);
      plot.g.fillRect(left, top, plot.toX((x + 1) * a) - left, plot.toY(y * a) - top);
    }
    const style = { colour: css(plot.colours.quiet, 0.45), width: 1 };
    for (const x of places(window_.x0, window_.x1)) plot.line([x, x], [window_.y0, window_.y1], style);
    for (const y of places(window_.y0, window_.y1)) plot.line([window_.x0, window_.x1], [y, y], style);
  }
  const picker = classPicker(2, (k, e) => { kind = k; erasing = e; });
  const editing = new Editing(plot, { points: () => p, kind: () => kind, erasing: () => erasing, most: 400, chosen: (i) => picker.choose(i), full: showMessage, changed: ask });
  return h('figure', {}, h('figcaption', {}, 'Click to place a point of one set or the other. Cells of the grid in which both sets have points are green: each match counts by the finest cell that holds it.'),
    picker.element, plot.element, slider({ label: 'grid shown (0: the finest)', value: own.grid, low: 0, high: 8, integer: true, changed: (v) => { own.grid = v; f.save(); plot.refresh(); } }).element);
}
