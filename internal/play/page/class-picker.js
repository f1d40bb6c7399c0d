// Which class the next point is of, and whether points are erased.
// @ts-check
import { h, fill } from './dom.js';
import { classNames, colourOf, css, shapes } from './colour.js';
import { button } from './controls.js';

/**
 * @param {number} count of classes
 * @param {(kind: number, erasing: boolean) => void} changed
 */
export function classPicker(count, changed) {
  let kind = 0;
  let erasing = false;
  const row = h('div', { class: 'swatches', role: 'group', 'aria-label': 'What a click does' });
  const draw = () => fill(row,
    ...Array.from({ length: count }, (_, i) => h('button', { type: 'button', 'aria-pressed': String(!erasing && i === kind), 'aria-label': `Place ${classNames[i]} points`, title: `Key ${i + 1}: ${classNames[i]}`, onclick: () => choose(i) }, swatch(i))),
    h('button', { type: 'button', 'aria-pressed': String(erasing), onclick: () => { erasing = !erasing; changed(kind, erasing); draw(); } }, 'erase'));
  const choose = (/** @type {number} */ i) => {
    if (i >= count) return;
    kind = i;
    erasing = false;
    changed(kind, erasing);
    draw();
  };
  draw();
  return { element: row, choose };
}

/** @param {number} i */
function swatch(i) {
  const e = h('span', { style: `color: ${css(colourOf(i))}; font-size: 1.3rem; line-height: 1` }, { circle: '●', triangle: '▲', square: '■', diamond: '◆', cross: '✚', ring: '◎' }[shapes[i]] ?? '●');
  e.style.color = css(colourOf(i));
  return e;
}

/** @param {() => void} clear */
export const clearButton = (clear) => button('Clear', clear, 'Erase all points');
