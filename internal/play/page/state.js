// What a scene is set to, in the address: every scene has a link that restores it, as #/classify?learner=ridge&params.lambda=0.1.
// A link has what differs from the scene's defaults, in words that a person can read and write. Changing a default therefore
// changes what old links mean: it is not done lightly.
// @ts-check
import { pack, unpack } from './packing.js';

/**
 * The scene and its settings that an address names.
 * @param {string} hash
 * @returns {{scene: string, settings: Record<string, any>|null}}
 */
export function readAddress(hash) {
  const text = hash.replace(/^#\/?/, '');
  const cut = text.indexOf('?');
  try {
    if (cut < 0) return readPacked(text);
    return { scene: text.slice(0, cut), settings: readSettings(text.slice(cut + 1)) };
  } catch {
    return { scene: text.split(/[/?]/)[0], settings: null };
  }
}

/** The older form of links: #/scene/ and the settings as JSON in base64. @param {string} text */
function readPacked(text) {
  const [scene, packed] = text.split('/');
  if (!packed) return { scene, settings: null };
  const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const settings = JSON.parse(new TextDecoder().decode(bytes));
  return { scene, settings: settings && typeof settings === 'object' ? settings : null };
}

/** @param {string} text of a link, behind the question mark @returns {Record<string, any>|null} */
function readSettings(text) {
  /** @type {Record<string, any>} */
  const out = Object.create(null);
  for (const part of text.split('&')) {
    const cut = part.indexOf('=');
    if (cut < 1) continue;
    const path = decodeURIComponent(part.slice(0, cut)).split('.');
    const last = /** @type {string} */ (path.pop());
    let at = out;
    for (const name of path) {
      if (typeof at[name] !== 'object' || at[name] === null || Array.isArray(at[name])) at[name] = Object.create(null);
      at = at[name];
    }
    at[last] = readValue(decodeURIComponent(part.slice(cut + 1)));
  }
  return Object.keys(out).length ? out : null;
}

/** @param {string} text @returns {any} */
function readValue(text) {
  if (text.startsWith('~')) return unpack(text.slice(1));
  if (text.startsWith('\'')) return text.slice(1);
  if (/^(true|false|null|[[{].*|-?\d+(\.\d+)?(e[-+]?\d+)?)$/s.test(text)) return JSON.parse(text);
  return text;
}

/** @param {any} v */
function writeValue(v) {
  if (typeof v === 'string') return /^([~'[{]|true$|false$|null$|-?\d)/.test(v) ? `'${v}` : v;
  return pack(v) ?? JSON.stringify(v);
}

/** Letters that a fragment may have stay readable. @param {string} text */
const escape = (text) => encodeURIComponent(text).replace(/%(3D|2C|2B|2F|3A|3B|40)/g, decodeURIComponent);

/**
 * The address of a scene.
 * @param {string} scene
 * @param {Record<string, any>} settings those that are not the defaults
 */
export function writeAddress(scene, settings) {
  /** @type {string[]} */
  const parts = [];
  const write = (/** @type {string} */ name, /** @type {any} */ v) => {
    if (v === undefined) return;
    const plain = v !== null && typeof v === 'object' && !Array.isArray(v);
    if (plain && Object.keys(v).length && Object.keys(v).every((k) => /^[\w-]+$/.test(k))) for (const [k, inner] of Object.entries(v)) write(`${name}.${k}`, inner);
    else parts.push(`${name}=${escape(writeValue(v))}`);
  };
  for (const [name, v] of Object.entries(settings)) write(name, v);
  const text = `#/${scene}${parts.length ? '?' : ''}${parts.join('&')}`;
  return /[\w-]$/.test(text) ? text : `${text}&`; // letters that end a sentence are left off where a link is found in a text
}

/**
 * The settings that are not as the defaults have them.
 * @param {Record<string, any>} defaults @param {Record<string, any>} settings
 */
export function differing(defaults, settings) {
  /** @type {Record<string, any>} */
  const out = {};
  for (const [name, v] of Object.entries(settings)) {
    const was = defaults[name];
    if (JSON.stringify(v) === JSON.stringify(was)) continue;
    const both = [v, was].every((x) => x !== null && typeof x === 'object' && !Array.isArray(x));
    out[name] = both ? differing(was, v) : v;
  }
  return out;
}

/**
 * Settings from an address on top of the defaults. What is of another type than its default is left out: an address is text that
 * anybody may have written.
 * @param {Record<string, any>} defaults
 * @param {Record<string, any>|null} given
 * @returns {any}
 */
export function settle(defaults, given) {
  const out = structuredClone(defaults);
  for (const [name, value] of Object.entries(given ?? {})) if (Object.hasOwn(out, name)) put(out, name, value);
  return out;
}

/** @param {Record<string, any>} out @param {string} name @param {any} value */
function put(out, name, value) {
  if (name === '__proto__') return;
  const was = Object.hasOwn(out, name) ? out[name] : null;
  const same = was === null || (typeof was === typeof value && Array.isArray(was) === Array.isArray(value) && value !== null);
  if (!same || (typeof value === 'number' && !Number.isFinite(value))) return;
  if (was === null || typeof was !== 'object' || Array.isArray(was)) out[name] = value;
  else for (const [inner, v] of Object.entries(value)) put(was, inner, v); // names that the default has not: of parameters
}

/** How many digits behind the point tell so many steps of a span apart. @param {number} span @param {number} [steps] */
export const digitsOf = (span, steps = 1e4) => Math.min(Math.max(Math.ceil(Math.log10(steps / (span > 0 ? span : 1))), 0), 15);

/** Coordinates to so many steps of the span of each, which is what an address keeps. @param {number[]} xy @param {number} [steps] */
export function shorten(xy, steps = 1e4) {
  const digits = [0, 1].map((k) => {
    let low = Infinity;
    let high = -Infinity;
    for (let i = k; i < xy.length; i += 2) { low = Math.min(low, xy[i]); high = Math.max(high, xy[i]); }
    return digitsOf(high - low, steps);
  });
  return xy.map((v, i) => Number(v.toFixed(digits[i % 2])));
}
