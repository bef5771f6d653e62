import type { CaseReportFinding } from '@windlass/contracts/anchor/cases.ts'
import type { Schema, SchemaNode } from './schema.ts'
import type { Node } from './xml.ts'

/*
 * Brings a draft into the form of a schema: elements in its order, texts as long as it allows, what it demands and the settings
 * say, and nothing that it does not know. What a person has to see to is a finding.
 */

interface Fitting {
  schema: Schema
  /** What elements have that the schema demands and the draft does not have. */
  unknown: Readonly<Record<string, string>>
  findings: CaseReportFinding[]
  /** How much more is looked at, and how deep: a small schema may ask for work without end. */
  steps: { left: number; depth: number }
  texts: Map<SchemaNode, TextForm>
}

/** What a text of a simple type has to be. */
interface TextForm {
  values: ReadonlySet<string>
  bases: readonly string[]
  longest: number
}

type Pool = Map<string, Node[]>

const MOST_DEPTH = 40
const MOST_STEPS = 500_000
/** More for each part of the report, such as a transaction. */
const STEPS_OF_A_PART = 2_000
/** Parts of a schema within one another, those of all elements on the way together. */
const MOST_NESTED = 400
const PARTICLES = ['sequence', 'choice', 'all', 'group', 'element']

/** A schema that takes more work than any report; a part of it that stands within itself. */
export class SchemaTooLarge extends Error {}

/** Counts a part of the schema that is looked at, with all that stands in it. Throws {@link SchemaTooLarge}. */
function within<T>({ steps }: Fitting, { children }: SchemaNode, look: () => T): T {
  steps.left -= 1 + children.length
  steps.depth += 1
  if (steps.left < 0 || steps.depth > MOST_NESTED) throw new SchemaTooLarge()
  const found = look()
  steps.depth -= 1
  return found
}

/** The draft by the schema; its root must be an element of the schema. Throws {@link SchemaTooLarge}. */
export function fitTo(
  schema: Schema,
  draft: Node,
  unknown: Fitting['unknown'],
): { draft: Node; findings: CaseReportFinding[] } {
  const findings: CaseReportFinding[] = []
  const parts = typeof draft[1] === 'object' ? draft[1].length : 0
  const steps = { left: MOST_STEPS + parts * STEPS_OF_A_PART, depth: 0 }
  const element = schema.element(draft[0])
  if (!element) return { draft, findings: [{ kind: 'missing', path: draft[0], value: null }] }
  return {
    draft: fitElement({ schema, unknown, findings, steps, texts: new Map() }, element, draft, ''),
    findings,
  }
}

function fitElement(fitting: Fitting, declared: SchemaNode, node: Node, parent: string): Node {
  const [name, content, attributes] = node
  const path = parent === '' ? name : `${parent}/${name}`
  const type = typeOf(fitting, declared)
  if (type?.kind !== 'complexType') {
    const of = { type, base: declared.of.type }
    return [name, declared.of.fixed ?? fitText(fitting, of, name, content, path), attributes ?? {}]
  }
  const pool: Pool = new Map()
  for (const child of Array.isArray(content) ? (content as readonly (Node | null)[]) : [])
    if (child) pool.set(child[0], [...(pool.get(child[0]) ?? []), child])
  const children = modelsOf(fitting, type).flatMap(model => fitParticle(fitting, model, pool, path))
  for (const [left, nodes] of pool)
    for (const each of nodes)
      fitting.findings.push({ kind: 'left-out', path: `${path}/${left}`, value: textOf(each) })
  return [name, children, attributes ?? {}]
}

const textOf = ([, content]: Node): string | null =>
  typeof content === 'object' ? null : String(content).slice(0, 200)

const typeOf = ({ schema }: Fitting, { of, children }: SchemaNode): SchemaNode | undefined =>
  of.type ? schema.type(of.type) : children.find(({ kind }) => ['complexType', 'simpleType'].includes(kind))

/** The particles of a type, those of what it extends first. */
function modelsOf(fitting: Fitting, type: SchemaNode): SchemaNode[] {
  return within(fitting, type, () =>
    type.children.flatMap(child => {
      if (PARTICLES.includes(child.kind)) return [child]
      if (child.kind !== 'complexContent') return []
      const [more] = child.children
      const base = more?.kind === 'extension' ? fitting.schema.type(more.of.base ?? '') : undefined
      return [...(base ? modelsOf(fitting, base) : []), ...(more ? modelsOf(fitting, more) : [])]
    }),
  )
}

const least = ({ of }: SchemaNode): number => Number(of.minOccurs ?? 1)
const most = ({ of }: SchemaNode): number =>
  of.maxOccurs === 'unbounded' ? Number.MAX_SAFE_INTEGER : Number(of.maxOccurs ?? 1)
const particlesIn = ({ children }: SchemaNode): SchemaNode[] =>
  children.filter(({ kind }) => PARTICLES.includes(kind))

/** An element or a group that is defined elsewhere. */
function resolved({ schema }: Fitting, { kind, of, children }: SchemaNode): SchemaNode {
  const found = of.ref === undefined ? undefined : schema[kind === 'group' ? 'group' : 'element'](of.ref)
  return found ? { ...found, of: { ...found.of, ...of, name: found.of.name ?? '' } } : { kind, of, children }
}

/** Whether the draft has something of a particle. */
function isIn(fitting: Fitting, given: SchemaNode, pool: Pool): boolean {
  const particle = resolved(fitting, given)
  if (particle.kind === 'element')
    return (pool.get(particle.of.name ?? '')?.length ?? 0) > 0 && most(particle) > 0
  return particlesIn(particle).some(each => within(fitting, each, () => isIn(fitting, each, pool)))
}

const fitParticle = (fitting: Fitting, given: SchemaNode, pool: Pool, path: string): Node[] =>
  within(fitting, given, () => fitParticleOnly(fitting, given, pool, path))

function fitParticleOnly(fitting: Fitting, given: SchemaNode, pool: Pool, path: string): Node[] {
  const particle = resolved(fitting, given)
  if (particle.kind === 'element') return fitOccurrences(fitting, particle, pool, path)
  const found: Node[] = []
  for (let count = 0; count < most(particle); count += 1) {
    const isThere = isIn(fitting, particle, pool)
    if (!isThere && count >= least(particle)) break
    for (const each of within(fitting, particle, () => fitOnce(fitting, particle, pool, path)))
      found.push(each)
    if (!isThere) break
  }
  return found
}

function fitOnce(fitting: Fitting, particle: SchemaNode, pool: Pool, path: string): Node[] {
  const inner = particlesIn(particle)
  if (particle.kind !== 'choice') return inner.flatMap(each => fitParticle(fitting, each, pool, path))
  const chosen = inner.find(each => isIn(fitting, each, pool)) ?? cheapest(fitting, inner, path)
  return chosen ? fitParticle(fitting, chosen, pool, path) : []
}

/** Chooses what demands the least that nobody knows. */
function cheapest(fitting: Fitting, choices: readonly SchemaNode[], path: string): SchemaNode | undefined {
  const costs = choices.map(choice => {
    const findings: CaseReportFinding[] = []
    fitParticle({ ...fitting, findings }, choice, new Map(), path)
    return findings.length
  })
  return choices[costs.indexOf(Math.min(...costs))]
}

function fitOccurrences(fitting: Fitting, declared: SchemaNode, pool: Pool, path: string): Node[] {
  const { name = '' } = declared.of
  const taken = (pool.get(name) ?? []).slice(0, most(declared))
  pool.set(name, (pool.get(name) ?? []).slice(taken.length))
  if (taken.length > 0) return taken.map(each => fitElement(fitting, declared, each, path))
  if (least(declared) === 0) return []
  const known = ofOwn(fitting.unknown, name)
  const mayNest = path.split('/').length < MOST_DEPTH
  if (typeOf(fitting, declared)?.kind === 'complexType' && mayNest)
    return [fitElement(fitting, declared, [name, []], path)]
  if (known !== undefined) return [fitElement(fitting, declared, [name, known], path)]
  fitting.findings.push({ kind: 'missing', path: `${path}/${name}`, value: null })
  return []
}

function fitText(
  fitting: Fitting,
  { type, base = '' }: { type: SchemaNode | undefined; base?: string | undefined },
  name: string,
  content: Node[1],
  path: string,
): string {
  const text = typeof content === 'object' ? '' : String(content)
  const { values, bases: further, longest } = textForm(fitting, type)
  const bases = [base, ...further]
  const fits = (value: string) =>
    (values.size === 0 || values.has(value)) &&
    bases.every(each => FORMS.get(each.slice(each.indexOf(':') + 1))?.test(value) ?? true)
  if (!fits(text)) {
    const known = ofOwn(fitting.unknown, name)
    if (known !== undefined && fits(known)) return known
    fitting.findings.push({ kind: 'not-listed', path, value: text.slice(0, 200) })
    return text
  }
  return text.slice(0, longest)
}

/** Read once of each type. */
function textForm(fitting: Fitting, type: SchemaNode | undefined): TextForm {
  const known = type && fitting.texts.get(type)
  if (known) return known
  const facets = facetsOf(fitting, type)
  const of = (wanted: string) => facets.filter(({ kind }) => kind === wanted)
  const form = {
    values: new Set(of('enumeration').map(each => each.of.value ?? '')),
    bases: of('restriction').map(each => each.of.base ?? ''),
    longest: of('maxLength').reduce((least, each) => Math.min(least, Number(each.of.value)), Infinity),
  }
  if (type) fitting.texts.set(type, form)
  return form
}

/** A schema names elements as it likes: `constructor` too. */
const ofOwn = (values: Fitting['unknown'], name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** What texts of the language's own types look like. */
const FORMS = new Map(
  Object.entries({
    boolean: /^(true|false|0|1)$/,
    dateTime: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/,
    date: /^\d{4}-\d{2}-\d{2}$/,
    int: /^-?\d+$/,
    integer: /^-?\d+$/,
    decimal: /^-?\d+(\.\d+)?$/,
  }),
)

/** The restrictions and facets of a simple type and of those that it restricts. */
function facetsOf(fitting: Fitting, type: SchemaNode | undefined, depth = 0): SchemaNode[] {
  const restriction = type?.children.find(({ kind }) => kind === 'restriction')
  if (!restriction || depth > MOST_DEPTH) return []
  const base = fitting.schema.type(restriction.of.base ?? '')
  return [restriction, ...restriction.children, ...facetsOf(fitting, base, depth + 1)]
}
