import Type, { type Static, type TSchema } from 'typebox'

/** Text people write: no control characters but tab and line breaks; NUL is refused everywhere. */
export const Text = (maxLength: number, minLength = 1) =>
  Type.String({ minLength, maxLength, pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$' })

/** As {@link Text}, without line breaks and tabs: names go into the lines of emails, files and bank statements. */
export const OneLine = (maxLength: number, minLength = 1) =>
  Type.String({ minLength, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f\\u0085\\u2028\\u2029]*$' })

export const Email = Type.String({ format: 'email', maxLength: 254 })

/** An ISO 8601 time in UTC. */
export const Time = Type.String({ format: 'date-time' })

/** A day, such as `2026-11-30`. */
export const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

/** An amount in an answer: a decimal string with at most 7 fraction digits. */
export const Amount = Type.String({ pattern: '^-?\\d{1,18}(\\.\\d{1,7})?$' })

/** An amount in a request: a decimal string or a JSON number; `money` parses it and names what is wrong. */
export const AmountInput = Type.Union([Type.String({ minLength: 1, maxLength: 40 }), Type.Number()])

/** A count or the number of a row: what JSON and `bigint` columns both hold exactly. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Ids are opaque; a malformed one is as unknown as any other, so it is not refused as bad input. */
export const Id = Type.String({ minLength: 1, maxLength: 200 })

/** A value, or null where there is none. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Parameters of every list: newest first, at most 100 rows a page, the next page in a `Link` header. */
export const Page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 400 })),
}

export const Ok = Type.Object({ ok: Type.Boolean() })

/** A problem document (RFC 9457). */
export const ProblemDocument = Type.Object({
  /** The address of the problem's page. */
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  /** Stable. Each refusal of an operation lists its own. */
  code: Type.String(),
  requestId: Type.String(),
  errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
})
export type ProblemDocument = Static<typeof ProblemDocument>
