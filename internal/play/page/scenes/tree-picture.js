// A tree as a picture: leaves side by side, each node above the middle of its children.
// @ts-check

const ns = 'http://www.w3.org/2000/svg';

/** @typedef {{label: string, children?: TreeNode[]}} TreeNode */

/** @param {TreeNode} tree @returns {SVGElement} */
export function drawTree(tree) {
  const svg = document.createElementNS(ns, 'svg');
  let across = 0;
  let deepest = 0;
  /** @param {TreeNode} t @param {number} depth @returns {number} where its middle is */
  const place = (t, depth) => {
    deepest = Math.max(deepest, depth);
    const y = 18 + 42 * depth;
    let x;
    if (!t.children?.length) {
      const width = 10 + 8 * t.label.length;
      x = across + width / 2;
      across += width + 6;
    } else {
      const middles = t.children.map((c) => place(c, depth + 1));
      x = (middles[0] + middles[middles.length - 1]) / 2;
      for (const m of middles) {
        const line = document.createElementNS(ns, 'line');
        for (const [k, v] of Object.entries({ x1: x, y1: y + 5, x2: m, y2: y + 28, stroke: 'currentColor', 'stroke-opacity': 0.5 })) line.setAttribute(k, String(v));
        svg.append(line);
      }
    }
    const text = document.createElementNS(ns, 'text');
    for (const [k, v] of Object.entries({ x, y, 'text-anchor': 'middle', 'font-size': 13, fill: 'currentColor', 'font-weight': t.children?.length ? 600 : 400 })) text.setAttribute(k, String(v));
    text.textContent = t.label;
    svg.append(text);
    return x;
  };
  place(tree, 0);
  svg.setAttribute('viewBox', `0 0 ${Math.max(across, 20)} ${30 + 42 * deepest}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'The tree');
  svg.style.maxWidth = `${Math.max(across, 20) * 1.4}px`;
  svg.style.width = '100%';
  return svg;
}
