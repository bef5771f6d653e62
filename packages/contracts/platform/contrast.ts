/** WCAG 2.2, 1.4.3: for text of normal size. */
export const MIN_CONTRAST = 4.5

/** The darkest ground of customers' pages in light colours, on which links are written. */
export const PAGE_GROUND = '#eef2f7'

/** The contrast of two colours (`#0b57c9`), from 1 to 21, by WCAG 2's relative luminance. */
export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map(at => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
