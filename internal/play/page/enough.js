// Whether there are points enough to ask for an answer; if not, what to do, in the words of the page.
// @ts-check
import { classNames } from './colour.js';

const numbers = ['no', 'one', 'two', 'three', 'four'];
const first = 'No points yet: click in the picture to place some.';

/**
 * At least so many points.
 * @param {{class: number[]}} points @param {number} least
 */
export function atLeast(points, least) {
  const n = points.class.length;
  if (n === 0) return least === 0 ? '' : first;
  if (n >= least) return '';
  return `There ${n === 1 ? 'is' : 'are'} ${numbers[n]} ${n === 1 ? 'point' : 'points'}: place ${least - n === 1 ? 'one more' : `${numbers[least - n]} more`}.`;
}

/**
 * Points of two classes, so many of each.
 * @param {{class: number[]}} points @param {number} [least]
 */
export function twoClasses(points, least = 1) {
  if (points.class.length === 0) return 'No points yet: click in the picture to place some, in two colours.';
  /** @type {Map<number, number>} */
  const count = new Map();
  for (const c of points.class) count.set(c, (count.get(c) ?? 0) + 1);
  if (count.size === 1) return `All points are ${classNames[points.class[0]]}: choose another colour and place some of it.`;
  for (const [c, n] of count) if (n < least) return `There is one ${classNames[c]} point: place one more.`;
  return '';
}
