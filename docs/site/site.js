// What the pages do: search without a server, copy what stands in a block, and the theme.
'use strict';

const root = document.documentElement.dataset.up;

// The theme: as the system has it, or as the reader chose.
const themes = ['system', 'light', 'dark'];
const theme = document.getElementById('theme');
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  theme.textContent = { system: 'Theme', light: 'Light', dark: 'Dark' }[name];
  try { localStorage.setItem('mercer-theme', name); } catch { /* a page without a store forgets */ }
}
let chosen = 'system';
try { chosen = localStorage.getItem('mercer-theme') ?? chosen; } catch { /* as above */ }
setTheme(themes.includes(chosen) ? chosen : 'system');
theme.addEventListener('click', () => setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % 3]));

// On a small screen the contents wait until they are asked for.
if (matchMedia('(max-width: 899px)').matches) document.querySelector('.contents').open = false;

// A button to copy each block; a block that scrolls is reached by keyboard.
for (const pre of document.querySelectorAll('main pre')) {
  pre.tabIndex = 0;
  const holder = document.createElement('div');
  holder.className = 'block';
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.textContent = 'Copy';
  copy.addEventListener('click', async () => {
    // What a terminal shows is not typed: of such a block the commands alone, without the prompt.
    const lines = pre.textContent.split('\n');
    const typed = lines.filter((l) => l.startsWith('$ '));
    try {
      await navigator.clipboard.writeText(typed.length ? typed.map((l) => l.slice(2)).join('\n') : pre.textContent);
      copy.textContent = 'Copied';
    } catch { copy.textContent = 'Select it, and copy'; }
    setTimeout(() => { copy.textContent = 'Copy'; }, 2000);
  });
  pre.replaceWith(holder);
  holder.append(pre, copy);
}
for (const table of document.querySelectorAll('main table')) table.tabIndex = 0;

// Search: the index is loaded when somebody begins to look for something.
const box = document.getElementById('search');
const results = document.getElementById('results');
let loading = null;
const load = () => {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = `${root}search-index.js`;
    script.onload = done;
    script.onerror = failed;
    document.head.append(script);
  });
  return loading;
};

/** How well a part fits all words: a word in its heading counts most. */
function fit(part, words) {
  let sum = 0;
  const heading = part.t.toLowerCase();
  const page = part.p.toLowerCase();
  const text = part.x.toLowerCase();
  for (const w of words) {
    const here = (heading === w ? 20 : 0) + (heading.includes(w) ? 10 : 0) + (page.includes(w) ? 4 : 0) + (text.includes(w) ? 1 : 0);
    if (!here) return 0;
    sum += here;
  }
  return sum;
}

async function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) { results.hidden = true; return; }
  await load();
  const best = window.mercerIndex.map((part) => [fit(part, words), part]).filter(([s]) => s > 0).sort((a, b) => b[0] - a[0]).slice(0, 12);
  results.replaceChildren(...best.map(([, part]) => {
    const at = Math.max(part.x.toLowerCase().indexOf(words[0]) - 40, 0);
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = root + part.l;
    link.textContent = part.t === part.p ? part.t : `${part.p}: ${part.t}`;
    const text = document.createElement('p');
    text.textContent = part.x.slice(at, at + 140);
    item.append(link, text);
    return item;
  }));
  if (!best.length) results.append(Object.assign(document.createElement('li'), { textContent: 'Nothing has all of these words.' }));
  results.hidden = false;
}
box.addEventListener('input', search);
box.addEventListener('focus', load);
document.addEventListener('keydown', (e) => {
  if (e.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { e.preventDefault(); box.focus(); }
  if (e.key === 'Escape') { results.hidden = true; }
});
