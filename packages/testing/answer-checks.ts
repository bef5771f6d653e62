import { resolved, type Reference } from '@windlass/api-documents/references.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { readFileSync } from 'node:fs'

interface CheckedAnswer {
  status: number
  body: string
  contentType: string
}

/** An operation of a printed document, as far as requests and answers are checked by it. */
interface Operation {
  parameters?: (Parameter | Reference)[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, Response | Reference>
}

interface Parameter {
  name: string
  in: string
  required: boolean
  example?: unknown
}

interface Response {
  content?: Record<string, { schema: object }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter>; responses: Record<string, Response> }
}

export interface AnswerChecks {
  /** What a client of the document would not expect of an answer; null where there is nothing. */
  faultOf(endpoint: Endpoint, answer: CheckedAnswer): string | null
  /** The document's example of a request: what is required, and the body. */
  exampleOf(endpoint: Endpoint): {
    params: Record<string, string>
    query: Record<string, string>
    body?: unknown
  }
}

/** Checks answers against the documents of docs/api: status, content type and body must be declared. */
export function answerChecks(names: readonly string[]): AnswerChecks {
  const documents = names.map(name => {
    const file = new URL(`../../docs/api/${name}.json`, import.meta.url)
    return { name, ...(JSON.parse(readFileSync(file, 'utf8')) as Document) }
  })
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addFormat('binary', true).addFormat('int64', true)
  for (const { name, components } of documents) ajv.addSchema({ $id: name, components })
  const compiled = new Map<object, ValidateFunction>()

  const find = ({ method, path }: Endpoint) => {
    const printed = path.replace(/:(\w+)/g, '{$1}')
    for (const { name, paths, components } of documents) {
      const operation = paths[printed]?.[method.toLowerCase()]
      if (operation) return { name, operation, shared: components }
    }
    throw new Error(`${method} ${path} is in none of the documents ${names.join(', ')}`)
  }
  const validatorOf = (schema: object, document: string): ValidateFunction => {
    const known = compiled.get(schema)
    if (known) return known
    const absolute = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${document}#/`)
    const validate = ajv.compile(JSON.parse(absolute) as object)
    compiled.set(schema, validate)
    return validate
  }
  return {
    faultOf(endpoint, { status, body, contentType }) {
      const { name, operation, shared } = find(endpoint)
      const declared = operation.responses[String(status)]
      const response = declared && resolved(declared, shared.responses)
      if (!response) return `answers ${status}, which its document does not declare: ${body.slice(0, 200)}`
      const type = contentType.split(';')[0]?.trim() ?? ''
      if (!response.content) return body === '' ? null : `answers ${status} with a body that is not declared`
      const content = response.content[type]
      if (!content) return `answers ${status} as ${type || 'nothing'}, which its document does not declare`
      if (!type.endsWith('json')) return null
      const validate = validatorOf(content.schema, name)
      if (validate(JSON.parse(body))) return null
      const wrong = validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`)
      return `answers ${status} with what its document does not declare: ${wrong?.slice(0, 3).join(', ')}: ${body.slice(0, 300)}`
    },
    exampleOf(endpoint) {
      const { operation, shared } = find(endpoint)
      const { parameters = [], requestBody } = operation
      const valuesIn = (place: string) =>
        Object.fromEntries(
          parameters
            .map(each => resolved(each, shared.parameters))
            .filter(each => each.in === place && each.required)
            .map(({ name, example }) => [name, String(example)]),
        )
      const body = requestBody?.content['application/json']?.example
      return { params: valuesIn('path'), query: valuesIn('query'), ...(body === undefined ? {} : { body }) }
    },
  }
}
