import { breakingChanges, comparedPartOf, type Compared } from './breaking-changes.ts'
import type { JsonSchema } from './json-schema.ts'
import type { OpenApi } from './operations.ts'

/** A change that a client of the last release may notice, and that is meant. */
export interface MeantBreak {
  /** A pattern of the lines of `breakingChanges`. */
  form: string
  /** Why it is so; also under *Breaking* in the changelog. */
  why: string
}

/** What two documents of one audience differ in, one line each; each is named once, where it is declared. */
interface Differences {
  breaking: string[]
  added: string[]
  changed: string[]
  gone: string[]
}

export const isMeant = (change: string, meant: readonly MeantBreak[]): MeantBreak | undefined =>
  meant.find(({ form }) => new RegExp(form).test(change))

/** Compares operations, parameters, bodies, answers and the fields of named types: whether they are there, needed, and of what. */
export function differencesOf(before: Compared, document: OpenApi): Differences {
  const now = comparedPartOf(document)
  const [was, is] = [factsOf(before), factsOf(now)]
  // What is inside something that is new, gone or of another type follows from that.
  const isInWhatStayed = (name: string) =>
    was.has(parentOf(name)) && was.get(parentOf(name)) === is.get(parentOf(name))
  const isNew = (name: string) => !was.has(name) && isInWhatStayed(name)
  const isGone = (name: string) => !is.has(name) && isInWhatStayed(name)
  return {
    breaking: breakingChanges(before, document),
    added: [...is.keys()].filter(isNew).map(name => lineOf(name, is)),
    changed: [...was].flatMap(([name, fact]) =>
      is.has(name) && is.get(name) !== fact ? [`${name}: ${fact} → ${is.get(name)}`] : [],
    ),
    gone: [...was.keys()].filter(isGone).map(name => lineOf(name, was)),
  }
}

const lineOf = (name: string, facts: ReadonlyMap<string, string>): string =>
  facts.get(name) ? `${name}: ${facts.get(name)}` : name

const PARTS = ' · '
const parentOf = (name: string): string => name.split(PARTS).slice(0, -1).join(PARTS)

/** What a document says, by place: `GET /anchors · parameter limit` is an `integer, optional`. */
function factsOf({ paths, components }: Compared): Map<string, string> {
  const facts = new Map([['', '']])
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { security, parameters = [], requestBody, responses }] of Object.entries(methods)) {
      const operation = `${method.toUpperCase()} ${path}`
      const part = (name: string, fact: string) => facts.set(`${operation}${PARTS}${name}`, fact)
      facts.set(operation, '')
      part('credential', security.map(each => Object.keys(each).join(' and ')).join(' or ') || 'none')
      for (const { name, required, schema } of parameters)
        part(`parameter ${name}`, `${typeOf(schema)}, ${required ? 'needed' : 'optional'}`)
      for (const [type, { schema = {} }] of Object.entries(requestBody?.content ?? {}))
        part(`body ${type}`, typeOf(schema))
      for (const [status, { content = {} }] of Object.entries(responses))
        part(
          `answer ${status}`,
          Object.values(content)
            .map(({ schema = {} }) => typeOf(schema))
            .join(', '),
        )
    }
  for (const [name, schema] of Object.entries(components.schemas)) {
    facts.set(`type ${name}`, '')
    for (const [field, type] of fieldsOf(schema, '')) facts.set(`type ${name}${PARTS}${field}`, type)
  }
  return facts
}

/** Fields of a type and of what stands in it without a name. */
function fieldsOf(schema: JsonSchema, path: string): [string, string][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, string][] => {
    const place = path === '' ? name : `${path}${PARTS}${name}`
    const needed = schema.required?.includes(name) ? 'always' : 'optional'
    return [[place, `${typeOf(field)}, ${needed}`], ...fieldsOf(field, place)]
  })
  const inside = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])]
  return [...own, ...inside.flatMap(each => fieldsOf(each, path))]
}

function typeOf({ $ref, type, enum: values, anyOf, items }: JsonSchema): string {
  if ($ref) return $ref.split('/').at(-1) ?? ''
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (items) return `list of ${typeOf(items)}`
  const named = [type ?? 'any'].flat().join(' or ')
  return values ? `${named} (${values.join(', ')})` : named
}

/** A page that lists all of it, with why each break is meant. */
export function pageOf(
  from: string,
  to: string,
  all: readonly { title: string; differences: Differences }[],
  meant: readonly MeantBreak[],
): string {
  const part = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`### ${name}\n`, ...lines.map(line => `- ${line}`), '']
  const sections = all.flatMap(({ title, differences: { breaking, added, changed, gone } }) => [
    `## ${title}\n`,
    ...part(
      'Breaking',
      breaking.map(change => `\`${change}\`: ${isMeant(change, meant)?.why}`),
    ),
    ...part('Added', added.map(code)),
    ...part('Changed', changed.map(code)),
    ...part('Gone', gone.map(code)),
  ])
  return `# What changed in the APIs from ${from} to ${to}\n\nOne line for each difference of the documents in this folder, printed by a release. *Gone* and *Changed* break no client unless *Breaking* has them: a type got another name, or an answer says more.\n\n${sections.join('\n').trimEnd()}\n`
}

const code = (line: string): string => `\`${line}\``
