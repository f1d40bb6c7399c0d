// What chance does: the permuted statistics as a histogram, with the observed one and the threshold.
// @ts-check
import { colourOf, css } from '../colour.js';

/**
 * @param {import('../plot.js').Plot} p @param {{draws: number[], statistic: number|string|null, threshold: number|string|null}} r
 */
export function drawHistogram(p, r) {
  const marks = [r.statistic, r.threshold].filter((v) => typeof v === 'number');
  const low = Math.min(...r.draws, .../** @type {number[]} */ (marks));
  const high = Math.max(...r.draws, .../** @type {number[]} */ (marks));
  const room = 0.04 * (high - low || 1);
  const bins = Math.max(10, Math.min(50, Math.round(Math.sqrt(r.draws.length))));
  const x0 = low - room;
  const x1 = high + room;
  const count = new Array(bins).fill(0);
  for (const v of r.draws) count[Math.min(bins - 1, Math.floor(((v - x0) / (x1 - x0)) * bins))]++;
  p.window = { x0, x1, y0: 0, y1: 1.08 * Math.max(...count, 1) };
  p.g.fillStyle = css(colourOf(5), 0.6);
  count.forEach((c, i) => {
    const left = p.toX(x0 + ((x1 - x0) * i) / bins);
    const top = p.toY(c);
    p.g.fillRect(left, top, p.toX(x0 + ((x1 - x0) * (i + 1)) / bins) - left - 1, p.toY(0) - top);
  });
  const upright = (/** @type {number|string|null} */ v, /** @type {any} */ style) => { if (typeof v === 'number') p.line([v, v], [0, p.window.y1], style); };
  upright(r.threshold, { dash: [4, 3], width: 1.4 });
  upright(r.statistic, { colour: css(colourOf(4)), width: 2.6 });
}
