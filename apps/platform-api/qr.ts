import qrcode from 'qrcode'

/** A code as a grid of so many squares, and a path of the dark ones. */
export function qrOf(text: string): { size: number; path: string } {
  const { size, data } = qrcode.create(text, { errorCorrectionLevel: 'M' }).modules
  const squares = [...data].map((dark, at) => (dark ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : ''))
  return { size, path: squares.join('') }
}
