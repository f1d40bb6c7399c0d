// A plot: a canvas with axes, and what scenes draw on it.
// @ts-check
import { css, theme, colourOf, shapes } from './colour.js';
import { h } from './dom.js';

/** @typedef {{x0: number, x1: number, y0: number, y1: number}} Window */
/** @typedef {{size: number, window: Window, values: Array<Array<number|null>>, class?: number[]}} Surface */
/** @typedef {import('./colour.js').RGB} RGB */

/** Steps of 1, 2 or 5 times a power of ten, about so many, and three at least. @param {number} low @param {number} high @param {number} count */
export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const at = (/** @type {number} */ step) => {
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(Number((i * step).toPrecision(12)));
    return out;
  };
  const steps = [0.5, 1, 2, 5, 10].map((m) => m * power);
  const fit = Math.max(steps.findIndex((s) => s >= raw), 1);
  const out = at(steps[fit]);
  return out.length < 3 ? at(steps[fit - 1]) : out;
}

/** A window around numbers, with some room. @param {number[]} x @param {number[]} y @param {number} [room] @returns {Window} */
export function around(x, y, room = 0.12) {
  const span = (/** @type {number[]} */ v) => {
    let low = Infinity;
    let high = -Infinity;
    for (const t of v) if (Number.isFinite(t)) { low = Math.min(low, t); high = Math.max(high, t); }
    if (!(low <= high)) return [-1, 1];
    const extra = (high - low || Math.abs(low) || 1) * room;
    return [low - extra, high + extra];
  };
  const [x0, x1] = span(x);
  const [y0, y1] = span(y);
  return { x0, x1, y0, y1 };
}

/** Whether a value is at a level or above; what is no number is neither. @param {number|null|undefined} v @param {number} level */
const above = (v, level) => (v === null || v === undefined ? null : v - level >= 0);

export class Plot {
  /**
   * @param {{label: string, ratio?: number, draw: (p: Plot) => void, xTitle?: string, yTitle?: string, logX?: boolean, logY?: boolean, bareY?: boolean}} o label says what is shown; ratio is height over width; bareY: heights mean nothing by themselves
   */
  constructor(o) {
    this.draw = o.draw;
    this.ratio = o.ratio ?? 0.75;
    this.titles = [o.xTitle ?? '', o.yTitle ?? ''];
    this.logX = o.logX ?? false;
    this.logY = o.logY ?? false;
    this.bareY = o.bareY ?? false;
    /** @type {Window} */
    this.window = { x0: -1, x1: 1, y0: -1, y1: 1 };
    this.canvas = h('canvas', { role: 'img', 'aria-label': o.label });
    this.element = h('div', { class: 'plot' }, this.canvas);
    this.g = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    /** @type {HTMLElement|null} */
    this.said = null;
    this.width = this.height = 0;
    this.pending = false;
    this.sizer = new ResizeObserver(() => this.resize());
    this.sizer.observe(this.element);
    this.colours = theme();
  }

  /** Keeps the picture in sight on a small screen while the settings below it move. */
  pin() {
    this.element.classList.add('pinned');
    return this;
  }

  /** @param {string} label */
  describe(label) {
    this.canvas.setAttribute('aria-label', label);
  }

  /** Says something in the middle of the picture; nothing takes it away. @param {string} text */
  say(text) {
    if (!this.said && text) {
      this.said = h('p', { class: 'lacking', role: 'status' });
      this.element.append(this.said);
    }
    if (this.said) { this.said.textContent = text; this.said.hidden = text === ''; }
  }

  end() {
    this.sizer.disconnect();
  }

  resize() {
    const width = Math.round(this.element.clientWidth);
    if (width === 0) return;
    const pinned = this.element.classList.contains('pinned') && matchMedia('(max-width: 860px)').matches; // it leaves room for what is set
    const height = Math.round(Math.min(width * this.ratio, pinned ? Math.max(180, window.innerHeight * 0.42) : Math.max(240, window.innerHeight * 0.82)));
    const scale = window.devicePixelRatio || 1;
    if (width !== this.width || height !== this.height || this.canvas.width !== Math.round(width * scale)) {
      this.width = width;
      this.height = height;
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.canvas.style.height = `${height}px`;
    }
    this.paint();
  }

  /** Paints with the next frame, however often it is asked. */
  refresh() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.paint();
    });
  }

  paint() {
    if (this.width === 0) return;
    const scale = this.canvas.width / this.width;
    this.colours = theme();
    this.g.setTransform(scale, 0, 0, scale, 0, 0);
    this.g.clearRect(0, 0, this.width, this.height);
    this.strokes();
  }

  /** Draws everything with another pen: for a file. @param {CanvasRenderingContext2D} pen */
  paintWith(pen) {
    const own = this.g;
    this.g = pen;
    try {
      this.strokes();
    } finally {
      this.g = own;
    }
  }

  strokes() {
    this.box = { left: this.titles[1] ? 56 : 44, right: 10, top: 10, bottom: this.titles[0] ? 40 : 26 };
    this.g.save();
    this.g.beginPath();
    this.g.rect(this.box.left, this.box.top, this.width - this.box.left - this.box.right, this.height - this.box.top - this.box.bottom);
    this.g.clip();
    this.draw(this);
    this.g.restore();
    this.axes();
  }

  /** @param {number} x */
  toX(x) {
    const { left, right } = this.box ?? { left: 44, right: 10 };
    const w = this.window;
    const t = this.logX ? Math.log(x / w.x0) / Math.log(w.x1 / w.x0) : (x - w.x0) / (w.x1 - w.x0);
    return left + t * (this.width - left - right);
  }

  /** @param {number} y */
  toY(y) {
    const { top, bottom } = this.box ?? { top: 10, bottom: 26 };
    const w = this.window;
    const t = this.logY ? Math.log(Math.max(y, 1e-300) / w.y0) / Math.log(w.y1 / w.y0) : (y - w.y0) / (w.y1 - w.y0);
    return this.height - bottom - t * (this.height - top - bottom);
  }

  /** The place of a pixel. @param {number} px @param {number} py @returns {[number, number]} */
  place(px, py) {
    const b = this.box ?? { left: 44, right: 10, top: 10, bottom: 26 };
    const w = this.window;
    const u = (px - b.left) / (this.width - b.left - b.right);
    const v = (this.height - b.bottom - py) / (this.height - b.top - b.bottom);
    return [this.logX ? w.x0 * (w.x1 / w.x0) ** u : w.x0 + u * (w.x1 - w.x0), this.logY ? w.y0 * (w.y1 / w.y0) ** v : w.y0 + v * (w.y1 - w.y0)];
  }

  axes() {
    const g = this.g;
    const b = /** @type {{left: number, right: number, top: number, bottom: number}} */ (this.box);
    const w = this.window;
    const powers = (/** @type {number} */ low, /** @type {number} */ high) => {
      const all = [];
      for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high) + 1e-9; e++) all.push(10 ** e);
      const step = Math.ceil(all.length / 7);
      return all.filter((_, i) => i % step === 0);
    };
    g.font = '12px system-ui, sans-serif';
    g.fillStyle = css(this.colours.quiet);
    g.strokeStyle = css(this.colours.quiet, 0.6);
    g.lineWidth = 1;
    g.setLineDash([]);
    g.strokeRect(b.left + 0.5, b.top + 0.5, this.width - b.left - b.right - 1, this.height - b.top - b.bottom - 1);
    const name = (/** @type {number} */ v) => (Math.abs(v) >= 1e4 || (v !== 0 && Math.abs(v) < 1e-2) ? v.toExponential(0).replace('e+', 'e') : String(v)).replace('-', '−');
    g.textAlign = 'center';
    g.textBaseline = 'top';
    for (const t of this.logX ? powers(w.x0, w.x1) : ticks(w.x0, w.x1, this.width / 90)) g.fillText(name(t), Math.min(this.toX(t), this.width - 14), this.height - b.bottom + 6);
    if (this.titles[0]) g.fillText(this.titles[0], (b.left + this.width - b.right) / 2, this.height - 15);
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    if (!this.bareY) for (const t of this.logY ? powers(w.y0, w.y1) : ticks(w.y0, w.y1, this.height / 60)) g.fillText(name(t), b.left - 6, Math.max(this.toY(t), 8));
    if (this.titles[1]) {
      g.save();
      g.translate(11, (this.height - b.bottom + b.top) / 2);
      g.rotate(-Math.PI / 2);
      g.textAlign = 'center';
      g.fillText(this.titles[1], 0, 0);
      g.restore();
    }
  }

  /**
   * Fills the cells of a surface; paint has the colour of a cell, null for none.
   * @param {Surface} s @param {(i: number) => RGB|null} paint @param {boolean} [crisp]
   */
  cells(s, paint, crisp = false) {
    const n = s.size;
    const small = document.createElement('canvas');
    small.width = small.height = n;
    const g = /** @type {CanvasRenderingContext2D} */ (small.getContext('2d'));
    const pixels = g.createImageData(n, n);
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < n; c++) {
        const colour = paint(r * n + c);
        if (!colour) continue;
        const at = 4 * ((n - 1 - r) * n + c);
        pixels.data[at] = colour[0];
        pixels.data[at + 1] = colour[1];
        pixels.data[at + 2] = colour[2];
        pixels.data[at + 3] = 255;
      }
    }
    g.putImageData(pixels, 0, 0);
    this.g.imageSmoothingEnabled = !crisp;
    const x = this.toX(s.window.x0);
    const y = this.toY(s.window.y1);
    this.g.drawImage(small, x, y, this.toX(s.window.x1) - x, this.toY(s.window.y0) - y);
  }

  /** The style of the next lines. @param {{colour?: string, width?: number, dash?: number[]}} o */
  pen(o) {
    this.g.strokeStyle = o.colour ?? css(this.colours.ink);
    this.g.lineWidth = o.width ?? 1.5;
    this.g.setLineDash(o.dash ?? []);
  }

  /**
   * Draws where a surface takes a value, by marching squares between the centres of cells.
   * @param {Surface} s @param {Array<number|null>} values @param {number} level @param {{colour?: string, width?: number, dash?: number[]}} style
   */
  contour(s, values, level, style) {
    const n = s.size;
    const w = s.window;
    const px = (/** @type {number} */ c) => this.toX(w.x0 + ((w.x1 - w.x0) * (c + 0.5)) / n);
    const py = (/** @type {number} */ r) => this.toY(w.y0 + ((w.y1 - w.y0) * (r + 0.5)) / n);
    this.pen(style);
    const g = this.g;
    g.beginPath();
    for (let r = 0; r + 1 < n; r++) {
      for (let c = 0; c + 1 < n; c++) {
        const i = r * n + c;
        const v = [values[i], values[i + 1], values[i + n + 1], values[i + n]];
        const first = above(v[0], level);
        if (first === above(v[1], level) && first === above(v[2], level) && first === above(v[3], level)) continue; // no line here, as in most cells
        if (v.some((x) => x === null || x === undefined)) continue;
        const f = /** @type {number[]} */ (v).map((x) => x - level);
        /** @type {Array<[number, number]>} */
        const cuts = [];
        const corner = [[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]];
        for (let k = 0; k < 4; k++) {
          const a = f[k];
          const b = f[(k + 1) % 4];
          if (a < 0 === b < 0) continue;
          const t = a / (a - b);
          const p = corner[k];
          const q = corner[(k + 1) % 4];
          cuts.push([px(p[0] + t * (q[0] - p[0])), py(p[1] + t * (q[1] - p[1]))]);
        }
        for (let k = 0; k + 1 < cuts.length; k += 2) {
          g.moveTo(...cuts[k]);
          g.lineTo(...cuts[k + 1]);
        }
      }
    }
    g.stroke();
  }

  /** Draws the edges between cells of different classes. @param {Surface} s */
  borders(s) {
    if (!s.class) return;
    const n = s.size;
    const w = s.window;
    const px = (/** @type {number} */ c) => this.toX(w.x0 + ((w.x1 - w.x0) * c) / n);
    const py = (/** @type {number} */ r) => this.toY(w.y0 + ((w.y1 - w.y0) * r) / n);
    this.pen({ width: 1.5 });
    const g = this.g;
    g.beginPath();
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < n; c++) {
        const here = s.class[r * n + c];
        if (c + 1 < n && s.class[r * n + c + 1] !== here) { g.moveTo(px(c + 1), py(r)); g.lineTo(px(c + 1), py(r + 1)); }
        if (r + 1 < n && s.class[(r + 1) * n + c] !== here) { g.moveTo(px(c), py(r + 1)); g.lineTo(px(c + 1), py(r + 1)); }
      }
    }
    g.stroke();
  }

  /** @param {Array<number|null>} x @param {Array<number|null>} y @param {{colour?: string, width?: number, dash?: number[]}} [style] */
  line(x, y, style = {}) {
    this.pen(style);
    this.g.beginPath();
    let down = false;
    for (let i = 0; i < x.length; i++) {
      const a = x[i];
      const b = y[i];
      if (a === null || b === null || a === undefined || b === undefined) { down = false; continue; }
      const px = this.toX(a);
      const py = Math.min(Math.max(this.toY(b), -1e5), 1e5);
      if (down) this.g.lineTo(px, py);
      else this.g.moveTo(px, py);
      down = true;
    }
    this.g.stroke();
  }

  /** @param {number[]} x @param {Array<number|null>} low @param {Array<number|null>} high @param {string} colour */
  band(x, low, high, colour) {
    const g = this.g;
    g.fillStyle = colour;
    g.beginPath();
    const all = [...x.keys()].filter((i) => low[i] !== null && high[i] !== null);
    for (const i of all) g.lineTo(this.toX(x[i]), this.toY(/** @type {number} */ (high[i])));
    for (const i of all.reverse()) g.lineTo(this.toX(x[i]), this.toY(/** @type {number} */ (low[i])));
    g.fill();
  }

  /**
   * A point in the colour and shape of its class.
   * @param {number} x @param {number} y @param {number} kind @param {{size?: number, ring?: number, faint?: boolean, cross?: boolean}} [o]
   */
  mark(x, y, kind, o = {}) {
    const g = this.g;
    const px = this.toX(x);
    const py = this.toY(y);
    const r = o.size ?? 4.5;
    g.setLineDash([]);
    if (o.ring) {
      g.strokeStyle = css(this.colours.ink);
      g.lineWidth = 1.3;
      g.beginPath();
      g.arc(px, py, r + o.ring, 0, 2 * Math.PI);
      g.stroke();
    }
    g.fillStyle = css(colourOf(kind), o.faint ? 0.45 : 1);
    g.strokeStyle = 'rgb(255 255 255 / 0.9)'; // on a surface of its own colour a point is told by its edge
    g.lineWidth = 1;
    g.beginPath();
    switch (shapes[kind % shapes.length]) {
      case 'triangle': g.moveTo(px, py - 1.2 * r); g.lineTo(px + 1.1 * r, py + 0.8 * r); g.lineTo(px - 1.1 * r, py + 0.8 * r); g.closePath(); break;
      case 'square': g.rect(px - 0.9 * r, py - 0.9 * r, 1.8 * r, 1.8 * r); break;
      case 'diamond': g.moveTo(px, py - 1.3 * r); g.lineTo(px + r, py); g.lineTo(px, py + 1.3 * r); g.lineTo(px - r, py); g.closePath(); break;
      case 'cross': for (const [a, b] of [[-1, -0.35], [-0.35, -0.35], [-0.35, -1], [0.35, -1], [0.35, -0.35], [1, -0.35], [1, 0.35], [0.35, 0.35], [0.35, 1], [-0.35, 1], [-0.35, 0.35], [-1, 0.35]]) g.lineTo(px + 1.1 * r * a, py + 1.1 * r * b); g.closePath(); break;
      case 'ring': g.arc(px, py, r, 0, 2 * Math.PI); g.arc(px, py, 0.45 * r, 0, 2 * Math.PI, true); break;
      default: g.arc(px, py, r, 0, 2 * Math.PI);
    }
    g.fill();
    g.stroke();
    if (o.cross) {
      g.strokeStyle = css(this.colours.ink);
      g.lineWidth = 1.4;
      g.beginPath();
      g.moveTo(px - r, py - r); g.lineTo(px + r, py + r);
      g.moveTo(px + r, py - r); g.lineTo(px - r, py + r);
      g.stroke();
    }
  }
}
