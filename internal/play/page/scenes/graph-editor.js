// A small graph drawn by hand: nodes with a letter each, and edges between them.
// @ts-check
import { h, speak } from '../dom.js';

const ns = 'http://www.w3.org/2000/svg';
const width = 340;
const height = 190;
const most = 60;

/** @typedef {{labels: string[], xy: number[], edges: number[][]}} DrawnGraph */

export class GraphEditor {
  /** @param {string} name @param {DrawnGraph} graph @param {() => void} changed */
  constructor(name, graph, changed) {
    this.graph = graph;
    this.changed = changed;
    /** @type {number|null} */
    this.chosen = null;
    /** @type {{node: number, moved: boolean}|null} */
    this.held = null;
    this.letter = h('input', { type: 'text', value: 'C', maxLength: 2, size: 2, 'aria-label': `Letter of new nodes of ${name}` });
    this.svg = document.createElementNS(ns, 'svg');
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('role', 'group');
    this.svg.setAttribute('aria-label', `Graph ${name}`);
    Object.assign(this.svg.style, { width: '100%', border: '1px solid var(--rule)', borderRadius: '6px', touchAction: 'none' });
    this.svg.addEventListener('pointerdown', (e) => this.down(e));
    this.svg.addEventListener('pointermove', (e) => this.move(e));
    this.svg.addEventListener('pointerup', () => this.up());
    this.element = h('div', {}, h('div', { class: 'row' }, h('span', {}, name), h('label', {}, 'letter ', this.letter),
      h('button', { type: 'button', onclick: () => this.add(40 + 260 * Math.random(), 30 + 130 * Math.random()) }, 'Add a node'),
      h('button', { type: 'button', onclick: () => this.remove() }, 'Erase the chosen one')), this.svg,
    h('p', { class: 'hint' }, 'Click to add a node, drag to move it. Choose a node, then another, to tie or untie them.'));
    this.draw();
  }

  /** @param {PointerEvent} e @returns {[number, number]} */
  place(e) {
    const box = this.svg.getBoundingClientRect();
    return [((e.clientX - box.left) / box.width) * width, ((e.clientY - box.top) / box.height) * height];
  }

  /** @param {PointerEvent} e */
  down(e) {
    const node = /** @type {Element} */ (e.target).closest('[data-node]');
    if (node) {
      this.held = { node: Number(node.getAttribute('data-node')), moved: false };
      this.svg.setPointerCapture(e.pointerId);
    } else this.add(...this.place(e));
  }

  /** @param {PointerEvent} e */
  move(e) {
    if (!this.held) return;
    const [x, y] = this.place(e);
    const i = this.held.node;
    if (!this.held.moved && Math.hypot(x - this.graph.xy[2 * i], y - this.graph.xy[2 * i + 1]) < 5) return;
    this.held.moved = true;
    this.graph.xy[2 * i] = Math.round(Math.min(Math.max(x, 12), width - 12));
    this.graph.xy[2 * i + 1] = Math.round(Math.min(Math.max(y, 12), height - 12));
    this.draw();
  }

  up() {
    const held = this.held;
    this.held = null;
    if (!held) return;
    if (held.moved) this.changed();
    else this.choose(held.node);
  }

  /** Chooses a node, or ties it to the one chosen before. @param {number} i */
  choose(i) {
    if (this.chosen === null || this.chosen === i) {
      this.chosen = this.chosen === i ? null : i;
      this.draw();
      return;
    }
    const a = Math.min(i, this.chosen);
    const b = Math.max(i, this.chosen);
    const at = this.graph.edges.findIndex(([p, q]) => (p === a && q === b) || (p === b && q === a));
    if (at >= 0) this.graph.edges.splice(at, 1);
    else this.graph.edges.push([a, b]);
    speak(at >= 0 ? 'untied' : 'tied');
    this.chosen = null;
    this.draw();
    this.changed();
  }

  /** @param {number} x @param {number} y */
  add(x, y) {
    if (this.graph.labels.length >= most) return;
    this.graph.labels.push([...this.letter.value.trim()][0] ?? 'C');
    this.graph.xy.push(Math.round(x), Math.round(y));
    this.chosen = null;
    this.draw();
    this.changed();
  }

  remove() {
    const i = this.chosen;
    if (i === null) return;
    this.graph.labels.splice(i, 1);
    this.graph.xy.splice(2 * i, 2);
    this.graph.edges = this.graph.edges.filter((e) => !e.includes(i)).map((e) => e.map((n) => (n > i ? n - 1 : n)));
    this.chosen = null;
    this.draw();
    this.changed();
  }

  draw() {
    const make = (/** @type {string} */ tag, /** @type {Record<string, any>} */ attributes, /** @type {string} */ text = '') => {
      const e = document.createElementNS(ns, tag);
      for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
      e.textContent = text;
      return e;
    };
    const focused = document.activeElement?.getAttribute('data-node');
    const { labels, xy, edges } = this.graph;
    this.svg.replaceChildren(
      ...edges.map(([a, b]) => make('line', { x1: xy[2 * a], y1: xy[2 * a + 1], x2: xy[2 * b], y2: xy[2 * b + 1], stroke: 'currentColor', 'stroke-opacity': 0.6, 'stroke-width': 2 })),
      ...labels.map((l, i) => {
        const g = make('g', { 'data-node': i, tabindex: 0, role: 'button', 'aria-pressed': String(i === this.chosen), 'aria-label': `Node ${i + 1}, ${l}` });
        g.append(make('circle', { cx: xy[2 * i], cy: xy[2 * i + 1], r: 12, fill: i === this.chosen ? 'rgb(230 159 0)' : 'var(--panel)', stroke: 'currentColor', 'stroke-width': 1.5 }),
          make('text', { x: xy[2 * i], y: xy[2 * i + 1] + 4.5, 'text-anchor': 'middle', 'font-size': 13, fill: i === this.chosen ? '#000' : 'currentColor' }, l));
        g.addEventListener('keydown', (e) => {
          const key = /** @type {KeyboardEvent} */ (e).key;
          if (key === 'Enter' || key === ' ') this.choose(i);
          else if (key === 'Delete') { this.chosen = i; this.remove(); } else return;
          e.preventDefault();
        });
        return g;
      }));
    if (focused !== null && focused !== undefined) /** @type {any} */ (this.svg.querySelector(`[data-node="${focused}"]`))?.focus();
  }
}
