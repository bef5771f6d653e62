import { escapeXml } from '../../xml.ts'

/** An element with text, elements, or nothing of what is null. */
export type Node = readonly [
  name: string,
  content: string | number | readonly (Node | null)[],
  attributes?: Attributes,
]
type Attributes = Readonly<Record<string, string | number>>

/** No program reads other characters below a space (XML 1.0). */
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

function write([name, content, attributes = {}]: Node, depth: number): string {
  const indent = '  '.repeat(depth)
  const given = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join('')
  const isParent = typeof content === 'object'
  const inner = isParent
    ? `\n${content.flatMap(each => (each ? [write(each, depth + 1)] : [])).join('')}${indent}`
    : escapeXml(String(content).replaceAll(CONTROL, ' '))
  return `${indent}<${name}${given}>${inner}</${name}>\n`
}

/** A document of XML, with its declaration. */
export const xmlDocument = (root: Node): string => `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, 0)}`

/** On one line, with single spaces, of at most so many letters. */
export const line = (text: string | null | undefined, most: number): string =>
  (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, most).trim()
