const WIDTH = 110

/** A value as JSON of two spaces an indent, with each list and object that fits in a line on one line. */
export function jsonText(value: unknown, indent = '', before = 0): string {
  const line = lineOf(value)
  if (indent.length + before + line.length <= WIDTH || typeof value !== 'object' || value === null)
    return line
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map(each => jsonText(each, deeper))
    : Object.entries(value).map(([name, each]) => {
        const key = `${JSON.stringify(name)}: `
        return key + jsonText(each, deeper, key.length)
      })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map(part => deeper + part).join(',\n')}\n${indent}${close}`
}

/** On one line, spaced as Prettier does. */
function lineOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(lineOf).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${lineOf(each)}`)
  return parts.length > 0 ? `{ ${parts.join(', ')} }` : '{}'
}
