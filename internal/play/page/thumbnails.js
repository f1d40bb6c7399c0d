// Small pictures of scenes, drawn by the scenes themselves: one after the other, out of sight, when they come into view.
// @ts-check
import { h } from './dom.js';

/** Pictures that were drawn, by entry and theme: who comes back finds them. @type {Map<string, HTMLCanvasElement|SVGElement>} */
const drawn = new Map();

const width = 520; // of a scene that is drawn small

export class Thumbnails {
  /** @param {import('./main.js').Env} env */
  constructor(env) {
    this.env = env;
    this.ended = false;
    this.working = false;
    /** @type {Map<Element, any>} */
    this.entries = new Map();
    /** @type {Element[]} those in view that wait */
    this.queue = [];
    this.stage = h('div', { class: 'stage', 'aria-hidden': 'true', inert: true });
    document.body.append(this.stage);
    this.watcher = new IntersectionObserver((seen) => {
      for (const s of seen) {
        this.queue = this.queue.filter((e) => e !== s.target);
        if (s.isIntersecting) this.queue.push(s.target);
      }
      this.work();
    }, { rootMargin: '200px' });
    this.repaint = () => { // the theme has changed, or the window: pictures of another theme are drawn anew
      for (const frame of this.entries.keys()) if (frame.isConnected && frame.getAttribute('data-theme') !== shade()) { this.watcher.unobserve(frame); this.watcher.observe(frame); }
    };
    window.addEventListener('resize', this.repaint);
  }

  /** A frame for an entry's picture. @param {{name: string, title: string, scene: string, settings: Record<string, any>}} e */
  of(e) {
    const frame = h('span', { class: 'thumbnail', 'data-thumbnail': '' });
    this.entries.set(frame, e);
    this.watcher.observe(frame);
    return frame;
  }

  async work() {
    if (this.working) return;
    this.working = true;
    for (let frame = this.queue.shift(); frame && !this.ended; frame = this.queue.shift()) {
      if (!frame.isConnected) continue;
      const e = this.entries.get(frame);
      const key = `${e.name} ${shade()}`;
      const picture = drawn.get(key) ?? await this.draw(e);
      if (!picture) continue;
      drawn.set(key, picture);
      // What could be pressed in the scene is only drawn here.
      picture.setAttribute('role', 'img');
      picture.setAttribute('aria-label', `Picture: ${e.title}`);
      for (const part of picture.querySelectorAll('[tabindex], [role]')) for (const name of ['tabindex', 'role', 'aria-pressed', 'aria-label']) part.removeAttribute(name);
      frame.replaceChildren(picture);
      frame.setAttribute('data-theme', shade());
      frame.setAttribute('data-thumbnail', 'drawn');
    }
    this.working = false;
  }

  /** @param {{name: string, scene: string, settings: Record<string, any>}} e */
  async draw(e) {
    const scene = this.env.scenes.find((s) => s.name === e.scene);
    if (!scene) return null;
    const root = h('div', { class: 'small' });
    root.style.width = `${width}px`;
    this.stage.replaceChildren(root);
    const open = scene.open(root, { ...this.env, settings: structuredClone(e.settings), save: () => {}, lost: () => {} });
    this.opened = open;
    await new Promise((done) => {
      // Two kernels side by side have two answers, and a digit is asked for before it is cleaned.
      const enough = e.scene === 'look' || e.settings.part === 'denoise' ? 2 : 1;
      const watch = new MutationObserver(() => Number(root.dataset.settled ?? 0) >= enough && finish());
      const finish = () => { watch.disconnect(); done(undefined); };
      this.give = finish;
      watch.observe(root, { attributes: true, attributeFilter: ['data-settled'] });
    });
    for (let k = 0; k < 2; k++) await new Promise((frame) => requestAnimationFrame(frame)); // what was answered is drawn
    const picture = this.ended ? null : copied(root);
    open.end();
    this.stage.replaceChildren();
    return picture;
  }

  end() {
    this.ended = true;
    this.give?.();
    this.opened?.end();
    this.watcher.disconnect();
    window.removeEventListener('resize', this.repaint);
    this.stage.remove();
  }
}

/** What the page looks like: pictures are of one theme. */
function shade() {
  return getComputedStyle(document.documentElement).getPropertyValue('--ground-rgb').trim();
}

/** The picture of a scene, small: its first canvas, or its drawing. @param {HTMLElement} root @returns {HTMLCanvasElement|SVGElement|null} */
function copied(root) {
  const canvas = /** @type {HTMLCanvasElement|null} */ (root.querySelector('.pixels canvas:nth-of-type(1), .plot.pinned canvas, .plot canvas'));
  if (canvas) {
    const small = h('canvas', { width: canvas.width, height: canvas.height });
    small.getContext('2d').drawImage(canvas, 0, 0);
    return small;
  }
  const svg = root.querySelector('.pictures svg');
  if (svg) return /** @type {SVGElement} */ (svg.cloneNode(true));
  const strip = root.querySelector('.strip, textarea');
  if (!strip) return null;
  const words = [...root.querySelectorAll('textarea')].map((e) => e.value).join('  ·  ');
  const small = h('canvas', { width: 520, height: 280 });
  const g = /** @type {CanvasRenderingContext2D} */ (small.getContext('2d'));
  g.fillStyle = getComputedStyle(document.documentElement).color;
  g.font = '28px ui-monospace, Menlo, Consolas, monospace';
  g.textAlign = 'center';
  words.split('  ·  ').slice(0, 2).forEach((w, i) => g.fillText(w.length > 30 ? `${w.slice(0, 29)}…` : w, 260, 110 + 70 * i));
  return small;
}
