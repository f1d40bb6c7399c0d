// Colours that people tell apart whatever their eyes see (Okabe and Ito 2008), each with a shape of its own.
// @ts-check

/** @typedef {[number, number, number]} RGB */

/** @type {RGB[]} */
export const palette = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [213, 94, 0], [86, 180, 233]];

export const shapes = ['circle', 'triangle', 'square', 'diamond', 'cross', 'ring'];

export const classNames = ['blue', 'orange', 'green', 'pink', 'vermillion', 'sky'];

/** @param {number} i @returns {RGB} */
export const colourOf = (i) => palette[((i % palette.length) + palette.length) % palette.length];

/** @param {RGB} c @param {number} [alpha] */
export const css = (c, alpha = 1) => `rgb(${c[0]} ${c[1]} ${c[2]} / ${alpha})`;

/** @param {RGB} a @param {RGB} b @param {number} t @returns {RGB} */
export const mix = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];

/** The page's own colours, as its theme has them. */
export function theme() {
  const style = getComputedStyle(document.documentElement);
  const read = (/** @type {string} */ name) => /** @type {RGB} */ (style.getPropertyValue(name).trim().split(/\s+/).map(Number));
  return { ground: read('--ground-rgb'), ink: read('--ink-rgb'), quiet: read('--quiet-rgb'), rule: read('--rule-rgb') };
}

/**
 * Two colours with the ground between them: t from −1 to 1.
 * @param {RGB} ground @param {number} t @param {number} [negative] @param {number} [positive] places in the palette
 * @returns {RGB}
 */
export function signed(ground, t, negative = 1, positive = 0) {
  const size = Math.min(Math.abs(t), 1);
  return mix(ground, colourOf(t < 0 ? negative : positive), 0.62 * size);
}

/** From the ground to blue: t from 0 to 1. @param {RGB} ground @param {number} t @returns {RGB} */
export const shade = (ground, t) => mix(ground, palette[0], 0.85 * Math.min(Math.max(t, 0), 1));
