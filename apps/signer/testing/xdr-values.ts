import fc from 'fast-check'

/** What the SDK's schemas of XDR types show of themselves. */
export interface Schema {
  readonly kind: string
  readonly name?: string | undefined
}

interface Inner {
  kind: string
  name?: string
  element: Inner
  entries: readonly (readonly [string, Inner])[]
  cases: readonly Case[]
  switchKey: string
  nameByValue: ReadonlyMap<number, string>
  maxLength: number
  length: number
  getSchema(): Inner
}

interface Case {
  name: string
  discriminant: unknown
  arm: { kind: string; name: string; schema: Inner }
}

/** In the form of `toXdrObject` of the SDK's types. */
export type Wire = unknown
type Union = Record<string, Wire>

/** Values that are worth more than random ones, by the name of a type or of a field. */
export type Given = Readonly<Record<string, fc.Arbitrary<Wire>>>

/** Beyond, values are as small as they can be: types contain themselves. */
const DEEPEST = 12
const LONGEST = 3

/** The names of a union's arms, in the order of the schema. */
export const armsOf = (schema: Schema): string[] => (schema as unknown as Inner).cases.map(({ name }) => name)

/** A value of a union with the arm of this name. */
export function armOf(schema: Schema, name: string, given: Given = {}): fc.Arbitrary<Wire> {
  const union = schema as unknown as Inner
  const found = union.cases.find(each => each.name === name)
  if (!found) throw new Error(`${union.name} has no arm ${name}`)
  return ofCase(union, found, given, 0)
}

/** Any value of a type. */
export const valueOf = (schema: Schema, given: Given = {}): fc.Arbitrary<Wire> =>
  any(schema as unknown as Inner, given, 0)

/** The value with one part of it replaced by any other value of that part's type. */
export const changeOf = (schema: Schema, value: Wire, given: Given = {}): fc.Arbitrary<Wire> =>
  change(schema as unknown as Inner, value, given)

/** One of several, of which only the chosen one is built: a type has very many values inside. */
const choose = (options: readonly (() => fc.Arbitrary<Wire>)[]): fc.Arbitrary<Wire> =>
  fc.nat(options.length - 1).chain(at => (options[at] ?? fail)())

const fail = (): never => {
  throw new Error('there is nothing to choose from')
}

function any(type: Inner, given: Given, depth: number, field = ''): fc.Arbitrary<Wire> {
  const preferred = given[field] ?? given[type.name ?? '']
  if (preferred) return preferred
  const isDeep = depth > DEEPEST
  const inner = (next: Inner, name = '') => any(next, given, depth + 1, name)
  const list = (length: number) => fc.tuple(...Array.from({ length }, () => inner(type.element)))
  const bytes = (length: number, most = length) => fc.uint8Array({ minLength: length, maxLength: most })
  switch (type.kind) {
    case 'struct':
      return fc.record(Object.fromEntries(type.entries.map(([name, each]) => [name, inner(each, name)])))
    case 'union': {
      const simple = type.cases.filter(({ arm }) => arm.kind === 'void')
      const cases = isDeep && simple.length > 0 ? simple : type.cases
      return choose(cases.map(each => () => ofCase(type, each, given, depth)))
    }
    case 'enum':
      return fc.constantFrom(...type.nameByValue.keys())
    case 'option':
      return choose([() => fc.constant(null), ...(isDeep ? [] : [() => inner(type.element)])])
    case 'array':
      return fc.nat(isDeep ? 0 : Math.min(LONGEST, type.maxLength)).chain(list)
    case 'fixedArray':
      return list(type.length)
    case 'lazy':
      return any(type.getSchema(), given, depth, field)
    case 'opaque':
      return bytes(type.length)
    case 'varOpaque':
      return bytes(0, Math.min(64, type.maxLength))
    case 'string':
      return fc.stringMatching(/^[\x20-\x7e]{0,28}$/).map(text => text.slice(0, type.maxLength))
    case 'bool':
      return fc.boolean()
    case 'int32':
      return fc.oneof(fc.constantFrom(0, 1), fc.integer())
    case 'uint32':
      return fc.oneof(fc.constantFrom(0, 1, 100), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
    case 'int64':
      return fc.oneof(
        fc.constantFrom(-1n, 0n, 1n, 2n ** 63n - 1n),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      )
    case 'uint64':
      return fc.oneof(fc.constantFrom(0n, 1n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
    default:
      throw new Error(`The SDK has a kind of type that these values do not know: ${type.kind}`)
  }
}

function ofCase(union: Inner, { arm, discriminant }: Case, given: Given, depth: number): fc.Arbitrary<Wire> {
  const type = fc.constant(discriminant)
  if (arm.kind === 'void') return fc.record({ [union.switchKey]: type })
  return fc.record({ [union.switchKey]: type, [arm.name]: any(arm.schema, given, depth + 1, arm.name) })
}

/** Most changes are inside: a part that is replaced whole is rarely near to a valid one. */
function change(type: Inner, value: Wire, given: Given, field = ''): fc.Arbitrary<Wire> {
  const parts = changesInside(type, value, given)
  return choose([() => any(type, given, 0, field), ...parts, ...parts, ...parts])
}

function changesInside(type: Inner, value: Wire, given: Given): (() => fc.Arbitrary<Wire>)[] {
  switch (type.kind) {
    case 'lazy':
      return changesInside(type.getSchema(), value, given)
    case 'struct': {
      const before = value as Record<string, Wire>
      return type.entries.map(
        ([name, each]) =>
          () =>
            change(each, before[name], given, name).map(part => ({ ...before, [name]: part })),
      )
    }
    case 'union': {
      const before = value as Union
      const { arm } = type.cases.find(each => each.discriminant === before[type.switchKey]) ?? {}
      if (!arm || arm.kind === 'void') return []
      const inside = () => change(arm.schema, before[arm.name], given, arm.name)
      return [() => inside().map(part => ({ ...before, [arm.name]: part }))]
    }
    case 'option':
      return value === null ? [] : [() => change(type.element, value, given), () => fc.constant(null)]
    case 'array':
      return changesOfList(type, value as Wire[], given)
    default:
      return []
  }
}

/** One more, which may be there already; one fewer; or one that is changed. */
function changesOfList(type: Inner, before: Wire[], given: Given): (() => fc.Arbitrary<Wire>)[] {
  const another = () =>
    choose([() => any(type.element, given, 0), ...before.map(each => () => fc.constant(each))])
  const added = () =>
    fc.tuple(fc.nat(before.length), another()).map(([at, each]) => before.toSpliced(at, 0, each))
  return [
    ...(before.length < type.maxLength ? [added] : []),
    ...before.map((_, at) => () => fc.constant(before.toSpliced(at, 1))),
    ...before.map((each, at) => () => change(type.element, each, given).map(part => before.with(at, part))),
  ]
}
