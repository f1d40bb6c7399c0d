// Two series above each other, and which steps of one go with which of the other.
// @ts-check
import { h } from '../dom.js';
import { around } from '../plot.js';
import { css, colourOf } from '../colour.js';

/** @param {import('../frame.js').Frame} f */
export function alignedPlot(f) {
  /** @type {{x: number[], y: number[], path: Array<[number, number]>}|null} */
  let shown = null;
  const plot = f.plot({ label: 'Two series and their cheapest alignment', ratio: 0.5, xTitle: 'step', bareY: true, draw: () => {
    if (!shown) return;
    const { x, y, path } = shown;
    const steps = (/** @type {number[]} */ v) => v.map((_, i) => i + 1);
    // The second stands below the first, so that the ties between them are seen.
    const apart = 1.15 * (Math.max(...x, ...y) - Math.min(...x, ...y) || 1);
    const below = y.map((v) => v - apart);
    plot.window = around([...steps(x), ...steps(y)], [...x, ...below], 0.06);
    for (const [i, j] of path) plot.line([i + 1, j + 1], [x[i], below[j]], { colour: css(plot.colours.quiet, 0.6), width: 1 });
    [x, below].forEach((v, k) => {
      plot.line(steps(v), v, { colour: css(colourOf(k)), width: 2.5 });
      v.forEach((w, i) => plot.mark(i + 1, w, k, { size: 3.5 }));
    });
  } }).pin();
  return {
    element: h('figure', {}, h('figcaption', {}, 'x above, y below it; lines join the steps that go together where both are stretched to be as near as they can.'), plot.element),
    /** @param {any} value */
    show: (value) => { shown = value; plot.refresh(); },
  };
}
