// What a scene is set to, in the address: every scene has a link that restores it.
// @ts-check

/**
 * The scene and its settings that an address names.
 * @param {string} hash
 * @returns {{scene: string, settings: Record<string, any>|null}}
 */
export function readAddress(hash) {
  const [scene, packed] = hash.replace(/^#\/?/, '').split('/');
  if (!packed) return { scene, settings: null };
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    const settings = JSON.parse(new TextDecoder().decode(bytes));
    return { scene, settings: settings && typeof settings === 'object' ? settings : null };
  } catch {
    return { scene, settings: null };
  }
}

/**
 * The address of a scene.
 * @param {string} scene
 * @param {Record<string, any>} settings
 */
export function writeAddress(scene, settings) {
  const bytes = new TextEncoder().encode(JSON.stringify(settings));
  let text = '';
  for (const b of bytes) text += String.fromCharCode(b);
  return `#/${scene}/${btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
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
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!(name in out)) continue;
    const was = out[name];
    const same = was === null || (typeof was === typeof value && Array.isArray(was) === Array.isArray(value) && value !== null);
    if (!same || (typeof value === 'number' && !Number.isFinite(value))) continue;
    out[name] = value !== null && typeof value === 'object' && !Array.isArray(value) && was !== null ? { ...was, ...value } : value;
  }
  return out;
}

/** Numbers that are drawn need four digits in an address. @param {number[]} v */
export const shorten = (v) => v.map((x) => Number(x.toPrecision(4)));
