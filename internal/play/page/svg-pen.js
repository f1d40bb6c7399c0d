// A drawing context that writes SVG: the part of a canvas's context that the plots use, so that a picture is exported by
// the code that draws it.
// @ts-check

/** A number to a hundredth of a pixel. @param {number} v */
const n = (v) => String(Number(v.toFixed(2)));

/** @param {string} text */
const quote = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** A colour as programs that draw SVG know it. @param {any} colour @param {string} what */
function paint(colour, what) {
  const m = /^rgb\(([\d.]+) ([\d.]+) ([\d.]+) \/ ([\d.]+)\)$/.exec(String(colour));
  if (!m) return `${what}="${quote(String(colour))}"`;
  const opacity = Number(m[4]) < 1 ? ` ${what}-opacity="${m[4]}"` : '';
  return `${what}="rgb(${[m[1], m[2], m[3]].map((v) => Math.round(Number(v))).join(',')})"${opacity}`;
}

export class SvgPen {
  /** @param {number} width @param {number} height @param {string} ground */
  constructor(width, height, ground) {
    this.width = width;
    this.height = height;
    this.out = [`<rect width="${n(width)}" height="${n(height)}" ${paint(ground, 'fill')}/>`];
    this.path = '';
    this.fillStyle = this.strokeStyle = '#000';
    this.lineWidth = 1;
    this.font = '12px sans-serif';
    this.textAlign = 'start';
    this.textBaseline = 'alphabetic';
    this.imageSmoothingEnabled = true;
    /** @type {number[]} */
    this.dash = [];
    this.clips = 0;
    /** @type {number[]} how many groups to close at each restore */
    this.groups = [];
  }

  beginPath() { this.path = ''; }
  /** @param {number} x @param {number} y */
  moveTo(x, y) { this.path += `M${n(x)} ${n(y)}`; }
  /** @param {number} x @param {number} y */
  lineTo(x, y) { this.path += `${this.path ? 'L' : 'M'}${n(x)} ${n(y)}`; }
  closePath() { this.path += 'Z'; }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  rect(x, y, w, h) { this.path += `M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}Z`; }
  /** Whole circles are all that plots draw. @param {number} x @param {number} y @param {number} r @param {number} _from @param {number} _to @param {boolean} [back] */
  arc(x, y, r, _from, _to, back) {
    const sweep = back ? 0 : 1;
    this.path += `M${n(x + r)} ${n(y)}A${n(r)} ${n(r)} 0 1 ${sweep} ${n(x - r)} ${n(y)}A${n(r)} ${n(r)} 0 1 ${sweep} ${n(x + r)} ${n(y)}Z`;
  }

  fill() { if (this.path) this.out.push(`<path d="${this.path}" ${paint(this.fillStyle, 'fill')}/>`); }
  stroke() { if (this.path) this.out.push(`<path d="${this.path}" fill="none" ${this.line()}/>`); }
  line() { return `${paint(this.strokeStyle, 'stroke')} stroke-width="${n(this.lineWidth)}"${this.dash.length ? ` stroke-dasharray="${this.dash.map(n).join(' ')}"` : ''}`; }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  fillRect(x, y, w, h) { this.out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" ${paint(this.fillStyle, 'fill')}/>`); }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  strokeRect(x, y, w, h) { this.out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="none" ${this.line()}/>`); }
  clearRect() { /* a fresh page is clear */ }
  setTransform() { /* one unit is one pixel */ }
  /** @param {number[]} d */
  setLineDash(d) { this.dash = d; }
  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const anchor = { center: 'middle', right: 'end', end: 'end' }[this.textAlign] ?? 'start';
    const size = parseFloat(this.font) || 12;
    const down = { middle: 0.35, top: 0.8, hanging: 0.8 }[this.textBaseline] ?? 0; // not every program knows dominant-baseline
    this.out.push(`<text x="${n(x)}" y="${n(y + down * size)}" font-family="system-ui, sans-serif" font-size="${n(size)}" text-anchor="${anchor}" ${paint(this.fillStyle, 'fill')}>${quote(text)}</text>`);
  }

  save() { this.groups.push(0); }
  restore() { for (let k = this.groups.pop() ?? 0; k > 0; k--) this.out.push('</g>'); }
  /** @param {string} attributes */
  open(attributes) {
    this.out.push(`<g ${attributes}>`);
    if (this.groups.length) this.groups[this.groups.length - 1]++;
  }
  clip() {
    this.out.push(`<clipPath id="c${++this.clips}"><path d="${this.path}"/></clipPath>`);
    this.open(`clip-path="url(#c${this.clips})"`);
  }
  /** @param {number} x @param {number} y */
  translate(x, y) { this.open(`transform="translate(${n(x)} ${n(y)})"`); }
  /** @param {number} angle */
  rotate(angle) { this.open(`transform="rotate(${n((180 * angle) / Math.PI)})"`); }
  /** @param {HTMLCanvasElement} image @param {number} x @param {number} y @param {number} w @param {number} h */
  drawImage(image, x, y, w, h) {
    this.out.push(`<image x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" preserveAspectRatio="none"${this.imageSmoothingEnabled ? '' : ' style="image-rendering:pixelated"'} href="${image.toDataURL('image/png')}"/>`);
  }

  /** @param {string} title */
  text(title) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${n(this.width)}" height="${n(this.height)}" viewBox="0 0 ${n(this.width)} ${n(this.height)}"><title>${quote(title)}</title>\n${this.out.join('\n')}\n</svg>\n`;
  }
}
