import { SaxesParser } from 'saxes'

/*
 * Schemas (XSD) of financial intelligence units, as far as goAML uses the language: each unit has its own, with its own lists and
 * its own mandatory elements.
 */

/** An element of a schema, such as `xs:sequence`, by its name without prefix. */
export interface SchemaNode {
  kind: string
  of: Readonly<Record<string, string>>
  children: SchemaNode[]
}

/** Elements, types and groups by name. */
export interface Schema {
  element(name: string): SchemaNode | undefined
  type(name: string): SchemaNode | undefined
  group(name: string): SchemaNode | undefined
  has(element: string): boolean
}

const MOST_DEPTH = 100
const local = (name: string): string => name.slice(name.indexOf(':') + 1)

/** A group or type that is defined by itself, or by too many others, has no end. */
class Endless extends Error {}

/** Null: it is no schema, or one that nothing can be written by. */
export function readSchema(text: string): Schema | null {
  const root = parse(text)
  if (root?.kind !== 'schema' || !hasCounts(root) || isEndless(root)) return null
  const named = (...kinds: string[]) =>
    new Map(
      root.children
        .filter(({ kind, of }) => kinds.includes(kind) && of.name)
        .map(node => [node.of.name ?? '', node]),
    )
  const elements = named('element')
  const types = named('complexType', 'simpleType')
  const groups = named('group')
  return {
    element: name => elements.get(local(name)),
    type: name => types.get(local(name)),
    group: name => groups.get(local(name)),
    has: name => elements.has(name),
  }
}

const isCount = (value: string | undefined): boolean => value === undefined || /^\d{1,9}$/.test(value)

const hasCounts = ({ of, children }: SchemaNode): boolean =>
  isCount(of.minOccurs) &&
  (of.maxOccurs === 'unbounded' || isCount(of.maxOccurs)) &&
  children.every(hasCounts)

/** What a group or a type consists of, and not what its elements do: those may hold themselves. */
const consistsOf = ({ kind, children }: SchemaNode): string[] =>
  children.flatMap(child => {
    if (child.kind === 'element') return []
    if (child.kind === 'group' && child.of.ref !== undefined) return [`group ${local(child.of.ref)}`]
    const base = kind === 'complexContent' && child.kind === 'extension' ? child.of.base : undefined
    return [...(base === undefined ? [] : [`type ${local(base)}`]), ...consistsOf(child)]
  })

function isEndless(root: SchemaNode): boolean {
  const definitions = new Map(
    root.children
      .filter(({ kind }) => kind === 'group' || kind === 'complexType')
      .map(node => [`${node.kind === 'group' ? 'group' : 'type'} ${node.of.name ?? ''}`, consistsOf(node)]),
  )
  const done = new Set<string>()
  const follow = (name: string, open: readonly string[]) => {
    if (done.has(name)) return
    if (open.includes(name) || open.length > MOST_DEPTH) throw new Endless()
    for (const each of definitions.get(name) ?? []) follow(each, [...open, name])
    done.add(name)
  }
  try {
    for (const name of definitions.keys()) follow(name, [])
    return false
  } catch (error) {
    if (error instanceof Endless) return true
    throw error
  }
}

function parse(text: string): SchemaNode | null {
  const parser = new SaxesParser()
  const open: SchemaNode[] = []
  let root: SchemaNode | null = null
  let isBroken = false
  parser.on('error', () => (isBroken = true))
  // Nothing of a document type is needed, and its entities could grow.
  parser.on('doctype', () => (isBroken = true))
  parser.on('opentag', ({ name, attributes }) => {
    const node = { kind: local(name), of: attributes as Record<string, string>, children: [] }
    open.at(-1)?.children.push(node)
    root ??= node
    open.push(node)
    if (open.length > MOST_DEPTH) isBroken = true
  })
  parser.on('closetag', () => open.pop())
  try {
    parser.write(text).close()
  } catch {
    return null
  }
  return isBroken ? null : root
}
