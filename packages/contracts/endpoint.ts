import Type, { type Static, type TSchema } from 'typebox'
import type { PublicLimit } from './limits.ts'
import type { ProblemCode } from './problems.ts'
import type { AdminRole, ApiKeyScope, Area, Realm, SessionCookie, SignInStep } from './realm.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Input, answers and problems of an endpoint. The same value is served, called and printed as OpenAPI. */
export interface EndpointShape {
  readonly realm: Realm
  /** The least role of an administrator who may call it. The realm `admin` needs one; services do not start without. */
  readonly role?: AdminRole
  /**
   * The least role in the anchor's organization, in the realm `operator`, for an endpoint of one anchor (`:anchorId`). It brings
   * `anchor-not-found`, and `forbidden` where not every member may.
   */
  readonly who?: 'owner' | 'admin' | 'member'
  /** With `who`: whose people may do it as admins may (`access.ts`). What is of `compliance` is not for every member to see.
   * `any`: the act decides which of them may. */
  readonly area?: Area | 'any'
  /** With `who`: it changes nothing, although it is no GET. */
  readonly reads?: true
  /** With `who`: after a recent confirmation that it is them. `by-case`: the act decides. It brings `confirmation-needed`. */
  readonly confirm?: true | 'by-case'
  /**
   * With `who`: only for people who have had their role for a day or more, since it moves money or says where it goes:
   * nobody adds their own second person. `to-approve`: to refuse (`approve: false`) anyone who may do it is enough. It
   * brings `second-person-needed`.
   */
  readonly secondPerson?: true | 'to-approve'
  /** Sessions waiting for one of these steps may call it too; other endpoints refuse them. */
  readonly awaiting?: readonly SignInStep[]
  /** A key needs one of these in the realm `developer`, else 403. */
  readonly scopes?: readonly ApiKeyScope[]
  /** The limit that an endpoint of the realm `public` needs. */
  readonly limit?: PublicLimit
  readonly summary: string
  readonly params?: TSchema | undefined
  readonly query?: TSchema | undefined
  /** Absent: any body and content type are ignored. All fields optional: an absent body means `{}`. */
  readonly body?: TSchema | undefined
  /** Lists of body fields; one field of each list is required. The handler reports what is missing. */
  readonly needs?: readonly (readonly string[])[]
  /** Success answers by status. */
  readonly response: { readonly [status: number]: TSchema }
  /** Problems specific to this endpoint; those that every endpoint may answer are implied. */
  readonly problems?: readonly ProblemCode[]
  /**
   * Honours `Idempotency-Key`. `secret` answers are never stored: a repeat is 409. `relayed`: the service that does the act
   * honours it.
   */
  readonly idempotent?: 'replay' | 'secret' | 'relayed'
  /** Bytes; 100 KB by default. */
  readonly bodyLimit?: number
  /** The handler gets the untouched bytes as `raw`, whatever the content type; nothing is parsed. */
  readonly raw?: boolean | undefined
  /** With `raw`: nothing is read before the handler, which reads `request.raw` itself, in pieces and up to `bodyLimit`. */
  readonly streamed?: true
  /** Takes `application/x-www-form-urlencoded` beside JSON. */
  readonly form?: boolean
  /** The content types of a `raw` body. `body` then says what the handler reads; nothing checks it before. */
  readonly accepts?: readonly string[]
  /** Cookies that a success sets. */
  readonly cookies?: readonly SessionCookie[]
  /** An older form of another endpoint (RFC 9745): since when, and which to use. `sunset`: when it ends (RFC 8594). */
  readonly deprecated?: { readonly since: string; readonly use: string; readonly sunset?: string }
  /** Callers poll it: the answer has an ETag, and is 304 without a body for a client that has it already (RFC 9110). */
  readonly conditional?: true
  /** The answer is a stream of server-sent events; the response schema describes one event's data. */
  readonly events?: boolean
  /** The answer is a file of this content type: the handler returns a stream of its bytes. */
  readonly file?: string
}

export type Endpoint<S extends EndpointShape = EndpointShape> = S & {
  readonly method: Method
  readonly path: string
}

/**
 * Declares an endpoint: `endpoint('POST /api/v1/applications', { realm: 'public', … })`.
 * Path parameters are written `:name` and described by `params`.
 */
export function endpoint<const S extends EndpointShape>(
  route: `${Method} /${string}`,
  shape: S,
): Endpoint<S> {
  const space = route.indexOf(' ')
  return { ...shape, method: route.slice(0, space) as Method, path: route.slice(space + 1) }
}

/** The schema of an answer without a body (204). */
export const NoContent = Type.Undefined()

type Part<E, K extends string> = E extends { readonly [P in K]: infer T extends TSchema }
  ? Static<T>
  : undefined

export type ParamsOf<E> = Part<E, 'params'>
export type QueryOf<E> = Part<E, 'query'>
export type BodyOf<E> = E extends { readonly raw: true } ? undefined : Part<E, 'body'>
export type StatusOf<E extends EndpointShape> = keyof E['response'] & number
/** The union of the endpoint's success bodies. */
export type AnswerOf<E extends EndpointShape> = {
  [S in StatusOf<E>]: E['response'][S] extends TSchema ? Static<E['response'][S]> : never
}[StatusOf<E>]
