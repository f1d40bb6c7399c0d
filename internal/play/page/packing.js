// Lists of numbers in an address: each as a whole number of steps above the least, in as few letters as all of them need.
// @ts-check

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * A list as text, ~ in front: digits behind the point, the least, how many, and the letters. Nothing is lost; what does not
 * fit is not packed.
 * @param {any} list
 * @returns {string|null}
 */
export function pack(list) {
  if (!Array.isArray(list) || list.length < 4 || !list.every((v) => typeof v === 'number' && Number.isFinite(v))) return null;
  const digits = Math.max(...list.map(digitsBehind));
  if (digits > 15) return null;
  const whole = list.map((v) => Math.round(v * 10 ** digits));
  if (whole.some((w, i) => Math.abs(w) > 2 ** 52 || w / 10 ** digits !== list[i])) return null;
  const least = Math.min(...whole);
  const widest = Math.max(...whole) - least;
  let width = 0;
  while (64 ** width <= widest) width++;
  if (width > 8) return null;
  let out = '';
  for (const w of whole) for (let k = width - 1, rest = w - least; k >= 0; k--) out += letters[Math.floor(rest / 64 ** k) % 64];
  return `~${digits}.${least}.${list.length}.${out}`;
}

/**
 * The list again; a text that is none is an error.
 * @param {string} text without the ~
 * @returns {number[]}
 */
export function unpack(text) {
  const m = /^(\d{1,2})\.(-?\d{1,16})\.(\d{1,6})\.([\w-]*)$/.exec(text);
  if (!m) throw new Error('no packed list');
  const [digits, least, n] = [Number(m[1]), Number(m[2]), Number(m[3])];
  const width = n > 0 ? m[4].length / n : 0;
  if (!Number.isInteger(width) || width > 8) throw new Error('no packed list');
  return Array.from({ length: n }, (_, i) => {
    let v = 0;
    for (let k = 0; k < width; k++) v = 64 * v + letters.indexOf(m[4][i * width + k]);
    return (least + v) / 10 ** digits;
  });
}

/** @param {number} v */
function digitsBehind(v) {
  const [m, e] = String(v).split('e');
  return Math.max((m.split('.')[1] ?? '').length - Number(e ?? 0), 0);
}
