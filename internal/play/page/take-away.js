// What is taken away from a scene: the picture as a file, and programs that fit the same model.
// @ts-check
import { h, fill } from './dom.js';
import { button, section } from './controls.js';
import { SvgPen } from './svg-pen.js';
import { css } from './colour.js';

/** Hands a file over. @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The picture as SVG. @param {import('./plot.js').Plot} plot */
export function svgOf(plot) {
  const pen = new SvgPen(plot.width, plot.height, css(plot.colours.ground));
  plot.paintWith(/** @type {any} */ (pen));
  return pen.text(plot.canvas.getAttribute('aria-label') ?? '');
}

/** @param {import('./plot.js').Plot} plot @param {string} name */
function savePNG(plot, name) {
  const scale = 3; // sharp on paper
  const canvas = h('canvas', { width: Math.round(plot.width * scale), height: Math.round(plot.height * scale) });
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  g.fillStyle = css(plot.colours.ground);
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.setTransform(scale, 0, 0, scale, 0, 0);
  plot.paintWith(g);
  canvas.toBlob((/** @type {Blob|null} */ b) => b && download(b, `${name}.png`), 'image/png');
}

/**
 * A part of the panel with the picture and the programs.
 * @param {{name: string, plot: () => import('./plot.js').Plot, programs?: () => Array<[string, string]>}} o the programs have a title each
 */
export function takeAway(o) {
  const list = h('div', {});
  const open = () => fill(list, ...(o.programs?.() ?? []).map(([title, text]) => {
    const copied = button('Copy', async () => {
      try {
        await navigator.clipboard.writeText(text);
        copied.textContent = 'Copied';
      } catch { copied.textContent = 'Select it, and copy'; }
    }, `Copy: ${title}`);
    return h('div', { class: 'program', 'data-program': title }, h('div', { class: 'row' }, h('h3', {}, title), copied), h('pre', { tabIndex: 0 }, h('code', {}, text)));
  }));
  const programs = h('details', {}, h('summary', {}, 'The same model elsewhere'), list);
  programs.addEventListener('toggle', () => { if (programs.open) open(); });
  const element = section('Take it with you',
    h('div', { class: 'row' }, 'Picture:', button('SVG', () => download(new Blob([svgOf(o.plot())], { type: 'image/svg+xml' }), `${o.name}.svg`), 'The picture as lines, for a paper or a slide'),
      button('PNG', () => savePNG(o.plot(), o.name), 'The picture as pixels')),
    o.programs ? programs : '');
  /** The model has changed: open programs follow. */
  const changed = () => { if (programs.open) open(); };
  return { element, changed };
}
