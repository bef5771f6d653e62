import { escapeHtml } from './html.ts'

/** What the reference reads of an OpenAPI 3.1 document. */
interface Document {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas?: Record<string, Schema>
    responses?: Record<string, Response>
    parameters?: Record<string, Parameter>
    securitySchemes?: Record<string, SecurityScheme>
  }
}

interface Operation {
  operationId: string
  summary: string
  description?: string
  deprecated?: boolean
  tags?: string[]
  security?: Record<string, unknown>[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response | Reference>
}

interface Reference {
  $ref: string
}

interface SecurityScheme {
  type: string
  scheme?: string
  in?: string
  name?: string
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface Response {
  description: string
  content?: Record<string, Media>
}

interface Media {
  schema?: Schema
  example?: unknown
}

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  description?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
}

interface Group {
  slug: string
  name: string
  description: string
  operations: { method: string; path: string; operation: Operation }[]
}

/**
 * A page of an OpenAPI document below `/docs`: the list of all operations at '', a group of them at its name. Null:
 * there is no such group. Links are relative: a console passes the pages on below a path of its own. They have no script: a phone shows them as soon as they arrive.
 */
export function referencePage(given: object, slug: string, style: string): string | null {
  const document = given as Document
  const { title } = document.info
  const groups = groupsOf(document)
  if (slug === '') return pageOf(title, style, indexOf(document, groups))
  const group = groups.find(each => each.slug === slug)
  return group ? pageOf(`${group.name} · ${title}`, style, new GroupPage(document, group).html()) : null
}

/** An OpenAPI document's pages, beside its list at ''. */
export const listReferenceGroups = (given: object): Pick<Group, 'slug' | 'name'>[] =>
  groupsOf(given as Document)

function groupsOf({ tags, paths }: Document): Group[] {
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).flatMap(([name, operation]) =>
      // A path may name its servers beside its operations.
      'operationId' in operation ? [{ method: name.toUpperCase(), path, operation }] : [],
    ),
  )
  return tags.map(({ name, description }) => ({
    slug: name.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.[0] === name),
  }))
}

const pageOf = (title: string, style: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main class="document reference">
${main}
</main>
</body>
</html>
`

function indexOf({ info }: Document, groups: readonly Group[]): string {
  const lists = groups.map(
    ({ slug, name, description, operations }) => `<section>
<h2><a href="docs/${slug}">${escapeHtml(name)}</a></h2>
<p>${escapeHtml(description)}</p>
<ul>
${operations
  .map(
    ({ method, path, operation: { operationId, summary } }) =>
      `<li><a href="docs/${slug}#${operationId}">${routeOf(method, path)}</a> <span>${escapeHtml(summary)}</span></li>`,
  )
  .join('\n')}
</ul>
</section>`,
  )
  return `<h1>${escapeHtml(info.title)}</h1>
<p>${inline(info.description)}</p>
<p>Version ${escapeHtml(info.version)} · <a href="openapi.json">OpenAPI document</a></p>
${lists.join('\n')}`
}

const routeOf = (method: string, path: string): string =>
  `<code><b>${method}</b> ${escapeHtml(path).replaceAll('/', '/<wbr>')}</code>`

/** Escaped, with what stands in backticks as code. */
const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** One group's operations, and the objects that they name. */
class GroupPage {
  readonly #document: Document
  readonly #group: Group
  /** Objects that the page names, in the order in which it does. */
  readonly #named = new Set<string>()

  constructor(document: Document, group: Group) {
    this.#document = document
    this.#group = group
  }

  html(): string {
    const { name, description, operations } = this.#group
    const body = operations.map(each => this.#operation(each)).join('\n')
    // A set that grows while it is walked is walked to its end.
    const objects = [...this.#objects()].join('\n')
    return `<p><a href="../docs">${escapeHtml(this.#document.info.title)}</a></p>
<h1>${escapeHtml(name)}</h1>
<p>${escapeHtml(description)}</p>
${body}${objects ? `\n<h2>Objects</h2>\n${objects}` : ''}`
  }

  *#objects(): Generator<string> {
    for (const name of this.#named) {
      const schema = this.#document.components.schemas?.[name] ?? {}
      const rows = this.#properties(schema)
      yield `<section class="object" id="${name}"><h3>${escapeHtml(name)}</h3>${
        schema.description ? `<p>${inline(schema.description)}</p>` : ''
      }${rows || `<p><code>${this.#type({ ...schema, description: undefined })}</code></p>`}</section>`
    }
  }

  #operation({ method, path, operation }: Group['operations'][number]): string {
    const {
      operationId,
      summary,
      description,
      deprecated,
      parameters = [],
      requestBody,
      responses,
    } = operation
    const rows = parameters
      .map(each => this.#resolve<Parameter>(each))
      .map(({ name, in: place, required, schema, description: text }) =>
        this.#row(name, schema, required === true, `${place} · `, text),
      )
    const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
    return `<section id="${operationId}">
<h2>${escapeHtml(summary)}</h2>
<p>${routeOf(method, path)}${deprecated ? ' <strong>deprecated</strong>' : ''}</p>
${description ? `<p>${inline(description)}</p>` : ''}
${rows.length > 0 ? `<h3>Parameters</h3><dl>${rows.join('')}</dl>` : ''}
${media ? `<h3>Body</h3>${this.#media(type ?? '', media)}` : ''}
<h3>Answers</h3>
<dl>${Object.entries(responses)
      .map(([status, each]) => this.#answer(status, this.#resolve<Response>(each)))
      .join('')}</dl>
<h3>Example</h3>
${block(this.#command(method, path, operation, type, media))}
${this.#exampleAnswer(responses)}
</section>`
  }

  #answer(status: string, { description, content = {} }: Response): string {
    const schemas = Object.entries(content).map(([type, { schema }]) =>
      type === 'application/problem+json'
        ? ''
        : ` <code>${schema ? this.#type(schema) : escapeHtml(type)}</code>`,
    )
    return `<dt><code>${status}</code></dt><dd>${inline(description)}${schemas.join('')}</dd>`
  }

  #exampleAnswer(responses: Operation['responses']): string {
    const [status, given] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
    const example = given && this.#resolve<Response>(given).content?.['application/json']?.example
    return example === undefined ? '' : `<p>Answers ${status}:</p>${block(JSON.stringify(example, null, 2))}`
  }

  #media(type: string, { schema }: Media): string {
    const known = schema?.$ref ? this.#document.components.schemas?.[nameIn(schema.$ref)] : schema
    const rows = known ? this.#properties(known) : ''
    return `<p><code>${escapeHtml(type)}</code></p>${rows || (schema ? `<p><code>${this.#type(schema)}</code></p>` : '')}`
  }

  #properties({ properties, required = [], allOf = [] }: Schema): string {
    const rows = Object.entries(properties ?? {}).map(([name, schema]) =>
      this.#row(name, schema, required.includes(name), '', schema.description),
    )
    return rows.length > 0
      ? `<dl>${rows.join('')}</dl>`
      : allOf.map(each => this.#properties(this.#open(each))).join('')
  }

  #row(name: string, schema: Schema | undefined, isRequired: boolean, place: string, text?: string): string {
    const inner = schema?.items?.properties ? schema.items : schema
    const nested = inner?.properties ? this.#properties(inner) : ''
    const what = `${place}<code>${schema ? this.#type(schema) : 'string'}</code>`
    return `<dt><code>${escapeHtml(name)}</code>${isRequired ? '' : ' optional'}</dt><dd>${what}${
      text ? `<br>${inline(text)}` : ''
    }${nested}</dd>`
  }

  /** As HTML: an object that has a name is a link to it. */
  #type(schema: Schema): string {
    if (schema.$ref) {
      const name = nameIn(schema.$ref)
      this.#named.add(name)
      return `<a href="#${name}">${escapeHtml(name)}</a>`
    }
    if (schema.enum) return schema.enum.map(value => escapeHtml(String(value))).join(' | ')
    if (schema.const !== undefined) return escapeHtml(String(schema.const))
    const several = schema.anyOf ?? schema.allOf
    if (several) return several.map(each => this.#type(each)).join(schema.anyOf ? ' | ' : ' &amp; ')
    if (schema.items) return `${this.#type(schema.items)}[]`
    if (typeof schema.additionalProperties === 'object')
      return `map of ${this.#type(schema.additionalProperties)}`
    const type = [schema.type ?? 'any'].flat().join(' | ')
    return escapeHtml(schema.format ? `${type} (${schema.format})` : type)
  }

  /** Names no credential but by a variable. */
  #command(method: string, path: string, { security = [] }: Operation, type?: string, media?: Media): string {
    const schemes = security.flatMap(each => Object.keys(each))
    const known = this.#document.components.securitySchemes
    const bearer = schemes.some(name => known?.[name]?.scheme === 'bearer')
    const header = schemes.map(name => known?.[name]).find(scheme => scheme?.in === 'header')
    const cookie = schemes.map(name => known?.[name]).find(scheme => scheme?.in === 'cookie')
    return [
      `curl${method === 'GET' ? '' : ` -X ${method}`} "$SERVER${path.replace(/\{(\w+)\}/g, (_, name) => `$${constantOf(String(name))}`)}"`,
      ...(bearer ? ['-H "Authorization: Bearer $KEY"'] : []),
      ...(header ? [`-H "${header.name}: $SECRET"`] : []),
      ...(cookie ? [`-H "Cookie: ${cookie.name}=$SESSION"`] : []),
      ...(type === 'application/json'
        ? [
            `-H 'content-type: ${type}'`,
            `-d '${JSON.stringify(media?.example ?? {}).replaceAll("'", "'\\''")}'`,
          ]
        : []),
    ].join(' \\\n  ')
  }

  #open(schema: Schema): Schema {
    return schema.$ref ? (this.#document.components.schemas?.[nameIn(schema.$ref)] ?? {}) : schema
  }

  #resolve<T extends object>(given: T | Reference): T {
    if (!('$ref' in given)) return given
    const [kind, name] = given.$ref.split('/').slice(-2) as [keyof Document['components'], string]
    return this.#document.components[kind]?.[name] as unknown as T
  }
}

const nameIn = (ref: string): string => ref.split('/').at(-1) ?? ''
const constantOf = (name: string): string =>
  name.replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter}`).toUpperCase()
const block = (text: string): string => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`
