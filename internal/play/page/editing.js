// Points placed, dragged and erased: with a mouse, a finger or the keyboard.
// @ts-check
import { speak, show } from './dom.js';
import { classNames, css } from './colour.js';
import { digitsOf } from './state.js';

/** @typedef {import('./plot.js').Plot} Plot */
/** @typedef {{xy: number[], class: number[]}} Points */

// Pixels: how near to a point it is picked up, how near a click that does not move is on the point
// itself and places no other, and how far a hand moves that drags.
const hands = { mouse: { near: 10, on: 6, drag: 2 }, touch: { near: 28, on: 14, drag: 6 } };
const { near } = hands.mouse;

export class Editing {
  /**
   * @param {Plot} plot
   * @param {{points: () => Points, kind: () => number, erasing: () => boolean, most: number, chosen?: (kind: number) => void, changed: () => void, full: (text: string) => void}} o
   */
  constructor(plot, o) {
    this.plot = plot;
    this.o = o;
    /** @type {number|null} the point that is held */
    this.held = null;
    /** @type {[number, number]|null} where the keyboard is */
    this.cursor = null;
    this.picked = -1;
    /** @type {{at: [number, number], from: [number, number], hand: typeof hands.mouse, moved: boolean}|null} what a pointer began: where it is down, and where the point was, in pixels */
    this.grip = null;
    const c = plot.canvas;
    c.tabIndex = 0;
    c.setAttribute('role', 'application');
    c.classList.add('editable');
    c.addEventListener('pointerdown', (/** @type {PointerEvent} */ e) => this.down(e));
    c.addEventListener('pointermove', (/** @type {PointerEvent} */ e) => this.move(e));
    c.addEventListener('pointerup', () => this.up());
    c.addEventListener('pointercancel', () => { this.held = this.grip = null; });
    c.addEventListener('contextmenu', (/** @type {Event} */ e) => e.preventDefault());
    c.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => this.key(e));
    c.addEventListener('blur', () => { this.cursor = null; plot.refresh(); });
  }

  /** @param {PointerEvent} e @returns {[number, number]} */
  pixel(e) {
    const box = this.plot.canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  /** The point nearest to a pixel, −1 for none near enough. @param {number} px @param {number} py @param {number} [reach] */
  nearest(px, py, reach = near) {
    const { xy } = this.o.points();
    let best = -1;
    let far = reach;
    for (let i = 0; 2 * i < xy.length; i++) {
      const d = Math.hypot(this.plot.toX(xy[2 * i]) - px, this.plot.toY(xy[2 * i + 1]) - py);
      if (d < far) { far = d; best = i; }
    }
    return best;
  }

  /** @param {PointerEvent} e */
  down(e) {
    this.plot.canvas.focus({ preventScroll: true });
    this.plot.canvas.setPointerCapture(e.pointerId);
    this.cursor = null;
    const [px, py] = this.pixel(e);
    const hand = e.pointerType === 'touch' ? hands.touch : hands.mouse;
    const at = this.nearest(px, py, hand.near);
    this.grip = null;
    if (e.button === 2 || e.shiftKey || this.o.erasing()) {
      if (at >= 0) this.erase(at);
      return;
    }
    this.held = at >= 0 ? at : this.add(...this.plot.place(px, py));
    if (this.held === null) return;
    const { xy } = this.o.points();
    this.grip = { at: [px, py], from: [this.plot.toX(xy[2 * this.held]), this.plot.toY(xy[2 * this.held + 1])], hand, moved: at < 0 };
  }

  /** @param {PointerEvent} e */
  move(e) {
    if (this.held === null || !this.grip) return;
    const [px, py] = this.pixel(e);
    const by = [px - this.grip.at[0], py - this.grip.at[1]];
    if (!this.grip.moved && Math.hypot(by[0], by[1]) < this.grip.hand.drag) return;
    this.grip.moved = true;
    const p = this.o.points();
    [p.xy[2 * this.held], p.xy[2 * this.held + 1]] = this.within(...this.plot.place(this.grip.from[0] + by[0], this.grip.from[1] + by[1]));
    this.plot.refresh();
    this.o.changed();
  }

  up() {
    const { held, grip } = this;
    this.held = this.grip = null;
    if (held === null || !grip || grip.moved) return;
    // Beside a point and not on it: another one is meant.
    if (Math.hypot(grip.at[0] - grip.from[0], grip.at[1] - grip.from[1]) > grip.hand.on) this.add(...this.plot.place(...grip.at));
  }

  /** A place in the picture, to the digits that an address keeps: what is placed beyond the frame would not be seen. @param {number} x @param {number} y @returns {[number, number]} */
  within(x, y) {
    const w = this.plot.window;
    const keep = (/** @type {number} */ v, /** @type {number} */ low, /** @type {number} */ high) => Number(Math.min(Math.max(v, low), high).toFixed(digitsOf(high - low)));
    return [keep(x, w.x0, w.x1), keep(y, w.y0, w.y1)];
  }

  /** @param {number} x @param {number} y @returns {number|null} */
  add(x, y) {
    const p = this.o.points();
    if (p.class.length >= this.o.most) {
      this.o.full(`There are ${p.class.length} points, as many as the playground takes.`);
      return null;
    }
    p.xy.push(...this.within(x, y));
    p.class.push(this.o.kind());
    this.plot.refresh();
    this.o.changed();
    return p.class.length - 1;
  }

  /** @param {number} i */
  erase(i) {
    const p = this.o.points();
    p.xy.splice(2 * i, 2);
    p.class.splice(i, 1);
    this.plot.refresh();
    this.o.changed();
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const p = this.o.points();
    const w = this.plot.window;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = (e.shiftKey ? 10 : 1) / 100;
    this.cursor ??= [(w.x0 + w.x1) / 2, (w.y0 + w.y1) / 2];
    const by = arrows[/** @type {keyof typeof arrows} */ (e.key)];
    if (by) {
      this.cursor[0] += by[0] * step * (w.x1 - w.x0);
      this.cursor[1] += by[1] * step * (w.y1 - w.y0);
      if (this.held !== null) {
        [p.xy[2 * this.held], p.xy[2 * this.held + 1]] = this.within(...this.cursor);
        this.o.changed();
      }
      speak(`${this.held !== null ? 'moving, ' : ''}${show(this.cursor[0], 3)}, ${show(this.cursor[1], 3)}`);
    } else if (e.key === 'Enter' || e.key === ' ') {
      if (this.held !== null) { this.held = null; speak('dropped'); }
      else {
        const at = this.nearest(this.plot.toX(this.cursor[0]), this.plot.toY(this.cursor[1]));
        if (at >= 0) { this.held = at; speak(`holding point ${at + 1}; arrows move it, Enter drops it`); }
        else { this.add(...this.cursor); speak(`${classNames[this.o.kind()]} point placed`); }
      }
    } else if (e.key === 'Delete' || e.key === 'Backspace') {
      const at = this.held ?? this.nearest(this.plot.toX(this.cursor[0]), this.plot.toY(this.cursor[1]), 1e9);
      this.held = null;
      if (at >= 0) { this.erase(at); speak(`point ${at + 1} erased`); }
    } else if (e.key === '[' || e.key === ']') {
      if (p.class.length === 0) return;
      this.picked = (this.picked + (e.key === ']' ? 1 : -1) + p.class.length) % p.class.length;
      this.cursor = [p.xy[2 * this.picked], p.xy[2 * this.picked + 1]];
      speak(`point ${this.picked + 1} of ${p.class.length}, ${classNames[p.class[this.picked]]}`);
    } else if (e.key === 'Escape') {
      this.held = null;
      this.cursor = null;
    } else if (/^[1-6]$/.test(e.key) && this.o.chosen) this.o.chosen(Number(e.key) - 1);
    else return;
    e.preventDefault();
    this.plot.refresh();
  }

  /** Draws where the keyboard is. */
  drawCursor() {
    if (!this.cursor || document.activeElement !== this.plot.canvas) return;
    const g = this.plot.g;
    const px = this.plot.toX(this.cursor[0]);
    const py = this.plot.toY(this.cursor[1]);
    g.strokeStyle = css(this.plot.colours.ink);
    g.lineWidth = 1.5;
    g.setLineDash([]);
    g.beginPath();
    g.moveTo(px - 12, py); g.lineTo(px - 4, py); g.moveTo(px + 4, py); g.lineTo(px + 12, py);
    g.moveTo(px, py - 12); g.lineTo(px, py - 4); g.moveTo(px, py + 4); g.lineTo(px, py + 12);
    g.stroke();
  }
}
