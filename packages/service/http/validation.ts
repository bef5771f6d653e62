import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { domainToASCII } from 'node:url'
import type { TSchema } from 'typebox'
import { Problem } from './problem.ts'

// allErrors would let a hostile body buy unbounded work, yet a form wants every mistake at once: bodies are
// at most 100 KB and schemas have no nested quantifiers, which bounds it.
// That contracts are schemas is tested: the schema of schemas took a tenth of what a server's program loads.
const common = { strict: false, allErrors: true, useDefaults: true, meta: false, validateSchema: false }
const bodies = new Ajv(common)
const texts = new Ajv({ ...common, coerceTypes: true })
for (const ajv of [bodies, texts]) {
  formats.default(ajv)
  const ascii = ajv.formats.email as RegExp
  ajv.addFormat('email', (text: string) => ascii.test(asciiEmail(text)))
  // The pattern of ajv-formats accepts `https://` and `http://a:99999`, which nothing can open.
  ajv.addFormat('uri', (text: string) => URL.canParse(text))
}

export type Place = 'params' | 'query' | 'body'
type Check = (value: unknown) => void

/**
 * Compiles a schema to a check that throws `validation-failed` with a path and a message for each mistake, and
 * `not-found` for a wrong path parameter: a malformed id is as unknown as any other. Parameters and query values
 * are text and are coerced; bodies are not.
 */
export function compileCheck(schema: TSchema, place: Place): Check {
  const validate: ValidateFunction = (place === 'body' ? bodies : texts).compile(schema)
  return value => {
    if (validate(value)) return
    if (place === 'params') throw new Problem('not-found', 'There is nothing with this name.')
    throw validationProblem(validate.errors ?? [], place)
  }
}

function validationProblem(found: ErrorObject[], place: Place): Problem {
  const errors = simplest(found).map(error => ({ path: pathOf(error, place), message: messageOf(error) }))
  const first = errors[0]
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new Problem('validation-failed', `${first?.path ?? place} ${first?.message ?? 'is wrong'}${more}.`, {
    errors,
  })
}

// A union reports each branch and then itself: one line for each value, and at most 20.
function simplest(found: ErrorObject[]): ErrorObject[] {
  const seen = new Set<string>()
  return found.filter(e => !seen.has(keyOf(e)) && seen.add(keyOf(e))).slice(0, 20)
}

const keyOf = (error: ErrorObject) => `${error.instancePath}:${String(error.params.missingProperty ?? '')}`

function pathOf(error: ErrorObject, place: Place): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const missing = error.params.missingProperty as string | undefined
  return [path, missing].filter(Boolean).join('.') || place
}

function messageOf(error: ErrorObject): string {
  if (error.keyword === 'required') return 'is required'
  if (error.keyword === 'enum')
    return `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`
  if (error.keyword === 'format') return `must be a valid ${String(error.params.format)}`
  if (error.keyword === 'pattern') return 'has the wrong form'
  return error.message ?? 'is wrong'
}

/**
 * Compiles a schema to a function that keeps what it declares of a checked value. A handler may then pass on what it was
 * given: names that a stranger made up end here. Maps, unions and objects that allow further names stay as they are.
 */
export function compileKeep(schema: TSchema): (value: unknown) => unknown {
  const { properties, items, additionalProperties } = schema as {
    properties?: Record<string, TSchema>
    items?: TSchema
    additionalProperties?: TSchema | boolean
  }
  if (items && !Array.isArray(items)) {
    const keep = compileKeep(items)
    return value => (Array.isArray(value) ? value.map(keep) : value)
  }
  if (!properties || 'patternProperties' in schema || additionalProperties) return value => value
  const kept = Object.entries(properties).map(([name, inner]) => [name, compileKeep(inner)] as const)
  return value =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(
          kept
            .filter(([name]) => Object.hasOwn(value, name))
            .map(([name, keep]) => [name, keep((value as Record<string, unknown>)[name])]),
        )
      : value
}

const DEEPEST = 32

/**
 * Refuses what cannot be stored: NUL and half surrogate pairs, which Postgres takes for neither text nor JSON, and
 * nesting so deep that walking it would overflow the stack. Throws `validation-failed`.
 */
export function refuseUnstorable(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw unstorable(path, 'must not contain a NUL character')
    if (!value.isWellFormed()) throw unstorable(path, 'must be well-formed Unicode')
  }
  if (typeof value !== 'object' || value === null) return
  if (path.length > DEEPEST)
    throw unstorable(path.slice(0, 3), `must not be nested deeper than ${DEEPEST} levels`)
  for (const [key, inner] of Object.entries(value)) {
    refuseUnstorable(key, path)
    refuseUnstorable(inner, [...path, key])
  }
}

function unstorable(path: readonly string[], message: string): Problem {
  const where = path.join('.') || 'the request'
  return new Problem('validation-failed', `${where} ${message}.`, { errors: [{ path: where, message }] })
}

/** The address with its domain as mail servers know it: `münchen.example` is `xn--mnchen-3ya.example` (IDNA). */
export function asciiEmail(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  return at < 0 || /^[ -~]*$/.test(domain) ? address : `${address.slice(0, at)}@${domainToASCII(domain)}`
}

const isFormat = bodies.compile({ type: 'string', format: 'email', maxLength: 254 })

/** Whether a mail can be sent to it; the same rule as `Email` in the contracts. */
export const isEmail = (text: string): boolean => isFormat(text) === true
