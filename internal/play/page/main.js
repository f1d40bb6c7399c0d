// The page: which scene is open, in which theme, and the way between them.
// @ts-check
import { h, fill, speak } from './dom.js';
import { start, answered } from './api.js';
import { readAddress, writeAddress } from './state.js';
import { showMessage } from './messages.js';
import { StepsBack } from './steps-back.js';
import * as classify from './scenes/classify.js';
import * as regress from './scenes/regress.js';
import * as density from './scenes/density.js';
import * as look from './scenes/look.js';
import * as project from './scenes/project.js';
import * as test from './scenes/test.js';
import * as search from './scenes/search.js';
import * as structured from './scenes/structured.js';
import * as gallery from './scenes/gallery.js';
import * as guide from './scenes/guide.js';

/** @typedef {{catalogue: any, scenes: Scene[], settings: Record<string, any>|null, save: (settings: Record<string, any>) => void, lost: (e: Error) => void}} Env */
/** @typedef {{name: string, title: string, open: (root: HTMLElement, env: Env) => {end: () => void}}} Scene */

/** @type {Scene[]} */
const scenes = [classify, regress, density, look, project, test, search, structured, gallery, guide];
/** The row of names: the guide comes first, and is not what a damaged link opens. */
const row = [guide, ...scenes.filter((s) => s !== guide)];

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
/** @type {{end: () => void}|null} */
let open = null;
let shown = '';
/** @type {any} */
let catalogue = null;

const themes = ['system', 'light', 'dark'];

/** @param {string} name */
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  try { localStorage.setItem('mercer-theme', name); } catch { /* a page without a store forgets */ }
  const button = document.getElementById('theme');
  if (button) button.textContent = { system: 'Theme', light: 'Light', dark: 'Dark' }[name] ?? 'Theme';
  window.dispatchEvent(new Event('resize')); // canvases take their colours anew
}

/** @param {Error} e */
function lost(e) {
  const status = /** @type {any} */ (e).status;
  if (status === 403) showMessage('This page is no longer let in: the playground was started anew. Open the link that mercer play printed.');
  else showMessage(`The playground does not answer (${e.message}). Start mercer play again, or try once more.`, 'Try again', show);
}

/** Opens what the address says, as a fresh start. */
function show() {
  steps.forget();
  openScene(location.hash, false);
  window.scrollTo(0, 0);
}

const steps = new StepsBack(() => {
  for (const [id, by] of /** @type {Array<[string, -1|1]>} */ ([['undo', -1], ['redo', 1]])) /** @type {HTMLButtonElement} */ (document.getElementById(id)).disabled = !steps.can(by);
});

/** Takes a step back or forth; the place on the page and the keyboard stay where they are. @param {-1|1} by */
function step(by) {
  const state = steps.step(by);
  if (state === null) return;
  const controls = 'button, input, select, textarea, canvas, summary, a';
  const held = [...main.querySelectorAll(controls)].indexOf(/** @type {Element} */ (document.activeElement));
  const at = window.scrollY;
  main.style.minHeight = `${main.offsetHeight}px`;
  history.replaceState(null, '', state);
  openScene(state, true);
  window.scrollTo(0, at);
  if (held >= 0) /** @type {HTMLElement|undefined} */ (main.querySelectorAll(controls)[held])?.focus({ preventScroll: true });
  setTimeout(() => { main.style.minHeight = ''; }, 1000);
  speak(by < 0 ? 'undone' : 'done again');
}

/** @param {string} hash @param {boolean} restored it is a state that the scene had before */
function openScene(hash, restored) {
  const { scene: name, settings } = readAddress(hash);
  const scene = scenes.find((s) => s.name === name) ?? scenes[0];
  shown = hash;
  open?.end();
  for (const a of document.querySelectorAll('#scenes a')) {
    const here = a.getAttribute('data-scene') === scene.name;
    a.toggleAttribute('aria-current', here);
    if (here) a.scrollIntoView({ inline: 'center', block: 'nearest' }); // the row of names is longer than a telephone is wide
  }
  document.title = `${scene.title} · mercer playground`;
  showMessage('');
  const root = h('div', { class: `scene ${scene.name}`, 'data-scene': scene.name });
  // Every page has one heading of the first order; the gallery and the guide show their own.
  fill(main, ...(['gallery', 'guide'].includes(scene.name) ? [] : [h('h1', { class: 'unseen' }, scene.title)]), root);
  let saving = 0;
  let first = true;
  open = scene.open(root, {
    catalogue, scenes, settings, lost,
    save(now) {
      const write = () => {
        if (!root.isConnected) return;
        shown = writeAddress(scene.name, now);
        history.replaceState(null, '', shown);
        if (first && restored) steps.rewrite(shown);
        else steps.record(shown);
        first = false;
      };
      clearTimeout(saving);
      if (first) write(); // where the way back ends
      else saving = setTimeout(write, 250);
    },
  });
}

async function begin() {
  let name = 'system';
  try { name = localStorage.getItem('mercer-theme') ?? name; } catch { /* as above */ }
  setTheme(themes.includes(name) ? name : 'system');
  document.getElementById('theme')?.addEventListener('click', () => setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme ?? 'system') + 1) % themes.length]));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => window.dispatchEvent(new Event('resize')));
  // Paper is light: pictures are painted so before they are printed, and back afterwards.
  let chosen = 'system';
  window.addEventListener('beforeprint', () => {
    chosen = document.documentElement.dataset.theme ?? 'system';
    document.documentElement.dataset.theme = 'light';
    window.dispatchEvent(new Event('resize'));
  });
  window.addEventListener('afterprint', () => {
    document.documentElement.dataset.theme = chosen;
    window.dispatchEvent(new Event('resize'));
  });
  document.getElementById('undo')?.addEventListener('click', () => step(-1));
  document.getElementById('redo')?.addEventListener('click', () => step(1));
  window.addEventListener('keydown', (e) => {
    if (!(e.ctrlKey || e.metaKey) || e.altKey || !['z', 'y'].includes(e.key.toLowerCase())) return;
    const at = document.activeElement;
    if (at instanceof HTMLTextAreaElement || (at instanceof HTMLInputElement && ['text', 'number'].includes(at.type))) return; // a text has a way back of its own
    e.preventDefault();
    step(e.key.toLowerCase() === 'y' || e.shiftKey ? 1 : -1);
  });
  document.getElementById('copy')?.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      showMessage(answered() === 'server' ? 'The link is copied. It restores this scene for whoever runs mercer play; for others, publish the folder that docs/site/build writes, and share its links.' : 'The link is copied. It restores this scene for whoever opens it.');
    } catch {
      showMessage(`Copy this: ${location.href}`);
    }
  });
  fill(/** @type {HTMLElement} */ (document.getElementById('scenes')), ...row.map((s) => h('a', { href: `#/${s.name}`, 'data-scene': s.name }, s.title)));
  try {
    catalogue = await start((share) => {
      const e = main.querySelector('.loading');
      if (e) e.textContent = share === null ? 'Loading the answers …' : `Loading the answers … ${Math.round(100 * share)} %`;
    });
  } catch (e) {
    fill(main);
    lost(/** @type {Error} */ (e));
    return;
  }
  window.addEventListener('hashchange', () => { if (location.hash !== shown) show(); });
  show();
  document.documentElement.dataset.ready = 'yes';
}

begin();
