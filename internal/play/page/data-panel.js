// Where points come from: a set of the menu, a table that is pasted or dropped, or the hand.
// @ts-check
import { h, fill } from './dom.js';
import { menu, slider, button, text } from './controls.js';
import { once } from './api.js';
import { showFault } from './messages.js';
import { shorten } from './state.js';
import { download } from './take-away.js';
import { colourOf, css } from './colour.js';

/** @typedef {{xy: number[], class: number[]}} Points */
/** @typedef {{name: string, n: number, noise: number, seed: number, x: string, y: string, class: string, file: string, names: string[]|null, points: number[]|null, kinds: number[]|null}} Source file and names are of a table: what it is called, and its classes */

/** A source as an address keeps it: the recipe, and the points where they were changed by hand. @param {string} name @returns {Source} */
export const source = (name) => ({ name, n: 0, noise: -1, seed: 1, x: '', y: '', class: '', file: '', names: null, points: null, kinds: null });

export class DataPanel {
  /**
   * @param {{catalogue: any, scene: string, source: Source, points: Points, line?: boolean, single?: boolean, loaded: (fresh: boolean) => void}} o scene says which sets are offered; on a line a class means nothing, and where a single column counts nothing is up
   */
  constructor(o) {
    this.o = o;
    this.pasted = '';
    this.tables = ['csv', 'own', 'iris']; // sets whose columns are chosen
    this.asked = 0; // questions for points so far, of which only the last counts
    const sets = o.catalogue.sets.filter((/** @type {any} */ s) => s.for.includes(o.scene));
    /** @type {Array<[string, string]>} */
    const options = sets.map((/** @type {any} */ s) => [s.name, s.label]);
    if (o.catalogue.own) options.push(['own', `your ${o.catalogue.own}`]);
    options.push(['csv', 'a table …'], ['hand', 'nothing: draw it']);
    this.sets = sets;
    this.choice = menu({ label: 'Points', value: o.source.points ? 'hand' : o.source.name, options, field: 'data', changed: (v) => this.choose(v) });
    this.more = h('div', {});
    this.note = h('p', { class: 'note' });
    this.called = h('p', { class: 'note file', hidden: true });
    this.legend = h('ul', { class: 'legend', 'aria-label': 'Classes', hidden: true });
    this.element = h('section', {}, h('h2', {}, 'Data'), this.choice.element, this.called, this.more, this.legend, this.note, button('Save as a table', () => this.saveTable(), 'The points as a file points.csv, for mercer on the command line'));
    this.element.addEventListener('dragover', (/** @type {DragEvent} */ e) => e.preventDefault());
    this.element.addEventListener('drop', (/** @type {DragEvent} */ e) => {
      e.preventDefault();
      const file = e.dataTransfer?.files[0];
      if (file) this.readFile(file);
    });
  }

  /** Loads what the address says. */
  async begin() {
    const s = this.o.source;
    if (s.points) {
      this.take({ xy: s.points, class: s.kinds ?? s.points.filter((_, i) => i % 2 === 0).map(() => 0) });
      this.controls();
      this.describe();
      this.o.loaded(true);
    } else await this.load();
  }

  /** @param {Points} p */
  take(p) {
    this.o.points.xy.splice(0, Infinity, ...p.xy);
    this.o.points.class.splice(0, Infinity, ...(p.class?.length ? p.class : p.xy.filter((_, i) => i % 2 === 0).map(() => 0)));
  }

  /** The points were changed by hand: from now on the address has them, and what is fitted is what it has. @param {number} [steps] of a span that are told apart */
  edited(steps) {
    const s = this.o.source;
    const { points } = this.o;
    points.xy.splice(0, Infinity, ...shorten(points.xy, steps));
    s.points = [...points.xy];
    s.kinds = points.class.some((k) => k !== 0) ? [...points.class] : null;
    if (this.choice.select.value !== 'hand') {
      this.choice.select.value = 'hand';
      this.controls();
    }
  }

  /** @param {string} name */
  choose(name) {
    const s = this.o.source;
    Object.assign(s, source(name), { seed: s.seed });
    this.describe();
    if (name === 'hand') {
      this.asked++;
      s.points = [];
      s.kinds = [];
      this.take({ xy: [], class: [] });
      this.controls();
      this.o.loaded(false);
    } else this.load();
  }

  /** @param {boolean} [asked] the person asked for the table, which may be empty @param {boolean} [keep] the menus of its columns stay */
  async load(asked, keep) {
    const s = this.o.source;
    const question = ++this.asked;
    if (!keep) this.controls();
    if (s.name === 'csv' && !this.pasted && !asked) return;
    if (s.name === 'csv' && this.tooLong('The table', this.pasted.length)) return;
    const fact = this.sets.find((/** @type {any} */ f) => f.name === s.name);
    const drawn = fact?.drawn ? { n: s.n || fact.n, noise: s.noise >= 0 ? s.noise : fact.noise ?? 0 } : {};
    const petals = s.name === 'iris' && !s.x ? { x: 'petal_length', y: 'petal_width' } : {};
    const table = this.tables.includes(s.name) ? { x: s.x, y: s.y, class: s.class, ...petals } : {};
    try {
      const set = await once('data', { name: s.name, seed: s.seed, ...drawn, ...table, ...(s.name === 'csv' ? { text: this.pasted } : {}) });
      if (question !== this.asked) return;
      showFault(this.element, null);
      this.take(set.points);
      s.points = s.kinds = null;
      const named = this.tables.includes(s.name) || Boolean(set.columns);
      Object.assign(s, { x: named ? set.x ?? '' : '', y: named ? set.y ?? '' : '', class: named ? set.class ?? '' : '', names: set.names ?? null });
      if (s.name === 'own') s.file = this.o.catalogue.own;
      if (s.name === 'csv') this.edited(1e6);
      this.columns(set);
      this.describe();
      this.note.textContent = set.note ?? '';
      this.o.loaded(true);
    } catch (e) {
      if (question !== this.asked) return;
      const fault = /** @type {any} */ (e).fault ?? { message: /** @type {Error} */ (e).message };
      showFault(this.element, { ...fault, field: 'data' });
    }
  }

  /** The controls that belong to the choice. */
  controls() {
    const s = this.o.source;
    const fact = this.sets.find((/** @type {any} */ f) => f.name === s.name);
    this.note.textContent = '';
    if (this.choice.select.value === 'csv') {
      const paste = text({ label: 'Paste a table, or drop a file here', value: this.pasted, rows: 4, changed: (v) => { this.pasted = v; } });
      // A browser lays out every line that is pasted: what is too long is refused before it is
      // there.
      paste.input.addEventListener('paste', (/** @type {Event} */ e) => {
        const pasted = /** @type {ClipboardEvent} */ (e).clipboardData?.getData('text') ?? '';
        if (this.tooLong('The table', pasted.length)) e.preventDefault();
      });
      const file = h('input', { type: 'file', accept: '.csv,.tsv,.txt', 'aria-label': 'A file with a table', onchange: () => file.files?.[0] && this.readFile(file.files[0]) });
      fill(this.more, paste.element, h('div', { class: 'row' }, button('Use the table', () => { Object.assign(s, source('csv'), { seed: s.seed }); this.load(true); }), file));
    } else if (this.choice.select.value === 'hand' || !fact?.drawn) fill(this.more);
    else {
      const again = (/** @type {Partial<Source>} */ part) => { Object.assign(s, part, { points: null, kinds: null }); this.load(); };
      if (this.more.dataset.of === s.name && this.more.childElementCount) return; // a slider in motion stays
      this.more.dataset.of = s.name;
      fill(this.more,
        slider({ label: 'points', value: s.n || fact.n, low: 10, high: 600, integer: true, log: true, changed: (v) => again({ n: v }) }).element,
        slider({ label: 'noise', value: s.noise >= 0 ? s.noise : fact.noise ?? 0, low: 0, high: Math.max(1, 2 * (fact.noise ?? 0)), changed: (v) => again({ noise: v }) }).element,
        button('Draw again', () => again({ seed: s.seed + 1 }), 'The same set with other random numbers'));
      return;
    }
    this.more.dataset.of = '';
  }

  /** Menus for the columns of a table. @param {any} set */
  columns(set) {
    const s = this.o.source;
    if (!set.columns || !this.tables.includes(s.name)) return;
    const pick = (/** @type {'x'|'y'|'class'} */ which, /** @type {string[]} */ names) => menu({ label: { x: 'across', y: this.o.line ? 'up (the target)' : 'up', class: 'class (the target)' }[which], value: set[which] ?? '', options: names.map((n) => /** @type {[string, string]} */ ([n, n])), changed: (v) => {
      Object.assign(s, { x: s.x || set.x, y: s.y || set.y, class: s.class || (set.class ?? ''), [which]: v, points: null, kinds: null }); // what was chosen a moment ago stays
      this.load(false, true);
    } }).element;
    const old = this.more.querySelector('.columns');
    const held = [...(old?.querySelectorAll('select') ?? [])].findIndex((e) => e === document.activeElement);
    old?.remove();
    this.more.append(h('div', { class: 'columns' }, pick('x', set.columns), this.o.single ? '' : pick('y', set.columns), set.levels?.length && !this.o.line ? pick('class', set.levels) : ''));
    if (held >= 0) this.more.querySelectorAll('select')[held]?.focus(); // who goes through them by keyboard stays there
  }

  /** What the columns are called: as in the table they come from, where they come from one. */
  columnNames() {
    const s = this.o.source;
    return { x: s.x || 'x', y: s.y || 'y', class: s.class || 'class' };
  }

  /** The titles of the axes, where the points have names for them. @returns {[string, string]} */
  get titles() {
    const s = this.o.source;
    return [s.x, this.o.single ? '' : s.y];
  }

  /** What the points are of: the name of the file, and the colour of each class. */
  describe() {
    const s = this.o.source;
    this.called.textContent = s.file;
    this.called.hidden = s.file === '';
    const shown = s.names && !this.o.line ? s.names : [];
    this.legend.hidden = shown.length === 0;
    fill(this.legend, ...shown.map((name, i) => {
      const mark = h('i', { class: 'fill' });
      mark.style.background = css(colourOf(i));
      return h('li', {}, mark, name);
    }));
  }

  /** Hands the points over as a file, with all their digits. */
  saveTable() {
    const { xy, class: kinds } = this.o.points;
    const classes = !this.o.line && kinds.some((k) => k !== kinds[0]);
    const field = (/** @type {string} */ v) => (/[",\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v);
    const names = this.columnNames();
    const head = [names.x, ...(this.o.single ? [] : [names.y]), ...(classes ? [names.class] : [])].map(field);
    const rows = kinds.map((k, i) => [xy[2 * i], ...(this.o.single ? [] : [xy[2 * i + 1]]), ...(classes ? [field(this.o.source.names?.[k] ?? 'abcdef'[k])] : [])].join(','));
    download(new Blob([[head.join(','), ...rows, ''].join('\n')], { type: 'text/csv' }), 'points.csv');
  }

  /** Refuses what is too long before it is sent. @param {string} what @param {number} bytes */
  tooLong(what, bytes) {
    const most = this.o.catalogue.limits.text;
    if (bytes <= most) return false;
    showFault(this.element, { field: 'data', message: `${what} has ${(bytes / 1e6).toFixed(1)} MB, more than the ${most >> 20} MB the playground takes; take a part of it, or use mercer fit.` });
    return true;
  }

  /** @param {File} file */
  async readFile(file) {
    if (this.tooLong(file.name, file.size)) return;
    this.pasted = await file.text();
    const s = this.o.source;
    Object.assign(s, source('csv'), { seed: s.seed, file: file.name });
    this.choice.select.value = 'csv';
    await this.load();
  }
}
