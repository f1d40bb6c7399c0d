// Elements, numbers in words, and what is said to those who listen.
// @ts-check

/**
 * An element with properties, attributes (data-…, aria-…), listeners (on…) and children.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node|string|number|null|undefined|false)} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (name === 'class') e.className = value;
    else if (name.includes('-') || name === 'for' || name === 'role' || name === 'list') e.setAttribute(name, value);
    else /** @type {any} */ (e)[name] = value;
  }
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== false).map((c) => (c instanceof Node ? c : String(c))));
  return e;
}

/**
 * Replaces all children.
 * @param {Element} e
 * @param {...(Node|string)} children
 */
export function fill(e, ...children) {
  e.replaceChildren(...children);
}

/**
 * A formula with what stands behind ^ raised and behind _ lowered: one sign, two letters, or what is in braces.
 * @param {string} text
 * @returns {Array<Node|string>}
 */
export function formula(text) {
  /** @type {Array<Node|string>} */
  const out = [];
  let from = 0;
  for (const m of text.matchAll(/([\^_])(?:\{([^}]*)\}|([a-z]{1,2}|.))/giu)) {
    out.push(text.slice(from, m.index), h(m[1] === '^' ? 'sup' : 'sub', {}, m[2] ?? m[3]));
    from = m.index + m[0].length;
  }
  return [...out, text.slice(from)];
}

/**
 * A number as people write it: so many digits, no needless zeros, powers of ten where it is very large or small.
 * @param {number|string|null|undefined} v
 * @param {number} [digits]
 */
export function show(v, digits = 4) {
  if (v === null || v === undefined) return '–';
  if (typeof v === 'string') return v;
  if (v === 0) return '0';
  const size = Math.abs(v);
  if (size >= 1e5 || size < 1e-3) {
    const [m, e] = v.toExponential(Math.max(digits - 2, 1)).split('e');
    const up = [...String(Number(e))].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)])).join('');
    return `${String(Number(m)).replace('-', '−')}·10${up}`;
  }
  return String(Number(v.toPrecision(digits))).replace('-', '−');
}

/**
 * The readings beside a picture. Each keeps its name and its value with all digits for programs that look.
 * @param {Element} list a dl
 * One that is still to come has its place, and neither name nor value.
 * @param {Array<{name: string, label: string, value: number|string|null, text?: string, note?: string, coming?: boolean}>} readings
 */
export function showReadings(list, readings) {
  fill(list, ...readings.flatMap((r) => [
    h('dt', { title: r.note ?? '' }, r.label),
    r.coming ? h('dd', {}, '…') : h('dd', { 'data-reading': r.name, 'data-value': r.value === null ? '' : String(r.value), title: r.note ?? '' }, r.text || show(r.value)),
  ]));
}

let speaking = 0;

/**
 * Says something to a screen reader.
 * @param {string} text
 */
export function speak(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    const e = document.getElementById('spoken');
    if (e) e.textContent = text;
  }, 150);
}
