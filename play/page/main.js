// The page: which scene is open, in which theme, and the way between them.
// @ts-check
import { h, fill } from './dom.js';
import { start } from './api.js';
import { readAddress, writeAddress } from './state.js';
import { showMessage } from './messages.js';
import * as classify from './scenes/classify.js';
import * as regress from './scenes/regress.js';
import * as density from './scenes/density.js';
import * as look from './scenes/look.js';
import * as project from './scenes/project.js';
import * as test from './scenes/test.js';
import * as search from './scenes/search.js';
import * as structured from './scenes/structured.js';
import * as gallery from './scenes/gallery.js';

/** @typedef {{catalogue: any, settings: Record<string, any>|null, save: (settings: Record<string, any>) => void, lost: (e: Error) => void}} Env */
/** @typedef {{name: string, title: string, open: (root: HTMLElement, env: Env) => {end: () => void}}} Scene */

/** @type {Scene[]} */
const scenes = [classify, regress, density, look, project, test, search, structured, gallery];

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

function show() {
  const { scene: name, settings } = readAddress(location.hash);
  const scene = scenes.find((s) => s.name === name) ?? scenes[0];
  shown = location.hash;
  open?.end();
  for (const a of document.querySelectorAll('#scenes a')) {
    const here = a.getAttribute('data-scene') === scene.name;
    a.toggleAttribute('aria-current', here);
    if (here) a.scrollIntoView({ inline: 'center', block: 'nearest' }); // the row of names is longer than a telephone is wide
  }
  document.title = `${scene.title} · mercer playground`;
  showMessage('');
  const root = h('div', { class: `scene ${scene.name}`, 'data-scene': scene.name });
  fill(main, root);
  let saving = 0;
  open = scene.open(root, {
    catalogue, settings, lost,
    save(now) {
      clearTimeout(saving);
      saving = setTimeout(() => {
        if (!root.isConnected) return;
        shown = writeAddress(scene.name, now);
        history.replaceState(null, '', shown);
      }, 250);
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
  document.getElementById('copy')?.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      showMessage('The link is copied. It restores this scene for whoever runs mercer play at the same address.');
    } catch {
      showMessage(`Copy this: ${location.href}`);
    }
  });
  fill(/** @type {HTMLElement} */ (document.getElementById('scenes')), ...scenes.map((s) => h('a', { href: `#/${s.name}`, 'data-scene': s.name }, s.title)));
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
