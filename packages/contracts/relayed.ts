import Type, { type TObject, type TProperties, type TSchema } from 'typebox'
import { Id, Text } from './common.ts'
import { endpoint, type Endpoint, type EndpointShape, type Method } from './endpoint.ts'

const By = { by: Text(100) }
const asSent = new WeakMap<TSchema, TObject>()

/** What an operator sends, with who they are (`operator:<id>`), which the platform adds. */
export function signed<P extends TProperties>(sent: TObject<P>): TObject<P & typeof By> {
  const whole = Type.Object({ ...sent.properties, ...By })
  asSent.set(whole, sent)
  return whole as TObject<P & typeof By>
}

/** Whether the platform adds who did it. */
export const isSigned = (schema: TSchema | undefined): boolean => schema !== undefined && asSent.has(schema)

/** What a console's endpoint has of its own; all else is as at the anchor. */
type Own = Pick<
  EndpointShape,
  'who' | 'area' | 'reads' | 'confirm' | 'secondPerson' | 'body' | 'problems'
> & {
  summary?: string
  response?: EndpointShape['response']
}

type Part<A, K extends string> = A extends { readonly [P in K]: infer T extends TSchema } ? T : undefined
type Unsigned<T> = T extends TObject<infer P> ? TObject<Omit<P, 'by'>> : T
type FieldsOf<T> = T extends TObject<infer P> ? P : {}
type Shape<A extends EndpointShape, O extends Own> = {
  realm: 'operator'
  summary: string
  params: TObject<{ anchorId: typeof Id } & FieldsOf<Part<A, 'params'>>>
  query: Unsigned<Part<A, 'query'>>
  body: O extends { body: infer B extends TSchema } ? B : Unsigned<Part<A, 'body'>>
  raw: A extends { raw: true } ? true : undefined
  response: O extends { response: infer R extends EndpointShape['response'] } ? R : A['response']
}

/** An endpoint of a console that the platform passes on to `at`: the anchor's own, or the control plane's. */
export type RelayedEndpoint<S extends EndpointShape, A extends EndpointShape> = Endpoint<S> & {
  readonly at: Endpoint<A>
}

/**
 * Declares how founders reach an endpoint of their anchor from the console: with the anchor's id in the path, and without
 * what the platform adds. By default every member of the organization may.
 */
export function relayed<A extends EndpointShape, const O extends Own>(
  route: `${Method} /${string}`,
  at: Endpoint<A>,
  own: O,
): RelayedEndpoint<Shape<A, O>, A> {
  const sent = (schema: TSchema | undefined) => (schema && asSent.get(schema)) ?? schema
  const { query, body } = { query: sent(at.query), body: own.body ?? sent(at.body) }
  const isEmpty = (schema: TSchema | undefined) =>
    Object.keys((schema as TObject | undefined)?.properties ?? {}).length === 0
  const shape = {
    realm: 'operator',
    who: 'member',
    ...own,
    summary: own.summary ?? at.summary,
    params: Type.Object({ anchorId: Id, ...(at.params as TObject | undefined)?.properties }),
    ...(query && { query }),
    ...(body && (at.raw || !isEmpty(body)) && { body }),
    ...(at.raw && { raw: at.raw, accepts: at.accepts }),
    ...(at.bodyLimit && { bodyLimit: at.bodyLimit }),
    ...(at.file && { file: at.file }),
    response: own.response ?? at.response,
    problems: [...(at.problems ?? []), ...(own.problems ?? [])],
    ...((at.idempotent || at.method === 'PUT') && { idempotent: 'relayed' }),
  } satisfies EndpointShape
  return { ...endpoint(route, shape), at } as never
}
