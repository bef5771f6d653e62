/// <reference path="./qrcode.d.ts" />
const SVG = 'http://www.w3.org/2000/svg'
/** Scanners need so many light squares around a code. */
const MARGIN = 4
/** Whole pixels: a camera loses squares of uneven width. */
const SQUARE = 3

/**
 * A QR code, dark on light in either scheme. Its library loads with the first one. `level`: how much of it may be unreadable;
 * a whole transaction needs so many squares that larger ones help a camera more.
 */
export async function qrCode(text: string, label: string, level: 'L' | 'M' = 'M'): Promise<SVGElement> {
  const { default: library } = await import('qrcode/lib/core/qrcode.js')
  const { size, data } = library.create(text, { errorCorrectionLevel: level }).modules
  const squares = [...data].map((dark, at) => (dark ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : ''))
  const side = size + 2 * MARGIN
  const code = element('svg', {
    ...{ role: 'img', 'aria-label': label, 'shape-rendering': 'crispEdges' },
    width: side * SQUARE,
    viewBox: `${-MARGIN} ${-MARGIN} ${side} ${side}`,
  })
  const ground = { x: -MARGIN, y: -MARGIN, width: side, height: side, fill: '#fff' }
  code.append(element('rect', ground), element('path', { d: squares.join(''), fill: '#000' }))
  return code
}

function element(name: 'svg' | 'rect' | 'path', attributes: Readonly<Record<string, string | number>>) {
  const made = document.createElementNS(SVG, name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value))
  return made
}
