import Type, { type Static } from 'typebox'
import { MAX_FILE_BYTES } from '../anchor/anchor-platform.ts'
import { endpoint } from '../endpoint.ts'

export const CustomerField = Type.Object({
  type: Type.String(),
  description: Type.String(),
  optional: Type.Optional(Type.Boolean()),
  choices: Type.Optional(Type.Array(Type.String())),
  status: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
})

export const Sep12Customer = Type.Object({
  id: Type.Optional(Type.String()),
  status: Type.String(),
  fields: Type.Optional(Type.Record(Type.String(), CustomerField)),
  provided_fields: Type.Optional(Type.Record(Type.String(), CustomerField)),
  message: Type.Optional(Type.String()),
})

export const getSep12Customer = endpoint('GET /sep12/customer', {
  realm: 'wallet',
  summary: "A customer's status and the fields that are needed (SEP-12)",
  query: Type.Object({
    id: Type.Optional(Type.String({ maxLength: 100 })),
    account: Type.Optional(Type.String({ maxLength: 80 })),
    memo: Type.Optional(Type.String({ maxLength: 100 })),
    memo_type: Type.Optional(Type.String({ maxLength: 10 })),
    type: Type.Optional(Type.String({ maxLength: 50 })),
    transaction_id: Type.Optional(Type.String({ maxLength: 100 })),
    lang: Type.Optional(Type.String({ maxLength: 35 })),
  }),
  conditional: true,
  response: { 200: Sep12Customer },
  problems: ['not-found'],
})

const Whose = {
  id: Type.Optional(Type.String({ maxLength: 100 })),
  account: Type.Optional(Type.String({ maxLength: 80 })),
  memo: Type.Optional(Type.String({ maxLength: 100 })),
  memo_type: Type.Optional(Type.String({ maxLength: 10 })),
}
const FORMS = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'] as const
const JSON_OR_FORM = ['application/json', 'application/x-www-form-urlencoded'] as const

/** Bytes of all files that come with a change of a customer: what the proxy lets pass. */
const MAX_UPLOAD_BYTES = 2 * MAX_FILE_BYTES
// Boundaries and heads of a multipart body.
const FORM_BYTES = 64 * 1024

/** Takes JSON, a form or multipart with files. Every field of SEP-9 may come beside those named here; all are texts. */
export const putSep12Customer = endpoint('PUT /sep12/customer', {
  realm: 'wallet',
  summary: "Submits a customer's details (SEP-12)",
  raw: true,
  streamed: true,
  accepts: FORMS,
  body: Type.Object(
    {
      ...Whose,
      type: Type.Optional(Type.String({ maxLength: 50 })),
      transaction_id: Type.Optional(Type.String({ maxLength: 100 })),
    },
    { additionalProperties: Type.String({ maxLength: 2000 }) },
  ),
  bodyLimit: MAX_UPLOAD_BYTES + FORM_BYTES,
  response: { 202: Type.Object({ id: Type.String() }) },
  problems: ['not-found', 'too-many-requests'],
})

/** `{id, …_verification}`; `PUT /sep12/customer` takes the same. */
export const putSep12Verification = endpoint('PUT /sep12/customer/verification', {
  realm: 'wallet',
  summary: 'Submits a code that verifies a detail (SEP-12)',
  deprecated: { since: '2023-02-01', use: 'PUT /sep12/customer' },
  raw: true,
  accepts: JSON_OR_FORM,
  body: Type.Object({ id: Type.String({ maxLength: 100 }) }, { additionalProperties: Type.String() }),
  response: { 200: Sep12Customer },
  problems: ['not-found', 'too-many-requests'],
})

export const putSep12Callback = endpoint('PUT /sep12/customer/callback', {
  realm: 'wallet',
  summary: "Where changes of a customer's status are sent (SEP-12)",
  raw: true,
  accepts: JSON_OR_FORM,
  body: Type.Object({ url: Type.String({ format: 'uri', maxLength: 500 }), ...Whose }),
  response: { 200: Type.Object({}) },
  problems: ['not-found', 'unauthenticated'],
})

export const deleteSep12Customer = endpoint('DELETE /sep12/customer/:account', {
  realm: 'wallet',
  summary: "Forgets a customer's details (SEP-12); says what the law asks to keep, and until when",
  params: Type.Object({ account: Type.String({ maxLength: 80 }) }),
  raw: true,
  accepts: JSON_OR_FORM,
  body: Type.Object({ memo: Whose.memo, memo_type: Whose.memo_type }),
  /** Empty: everything is gone. */
  response: {
    200: Type.Object({
      kept: Type.Optional(Type.Array(Type.String())),
      /** `YYYY-MM-DD` */
      until: Type.Optional(Type.String()),
    }),
  },
  problems: ['not-found', 'unauthenticated'],
})

export const Sep12File = Type.Object({
  file_id: Type.String(),
  content_type: Type.String(),
  /** Bytes. */
  size: Type.Integer(),
  /** When it is deleted unless a `PUT /customer` names it. */
  expires_at: Type.Optional(Type.String({ format: 'date-time' })),
  customer_id: Type.Optional(Type.String()),
})
export type Sep12File = Static<typeof Sep12File>

/** multipart/form-data with `file`; `PUT /sep12/customer` names it as `<field>_file_id`. */
export const postSep12File = endpoint('POST /sep12/customer/files', {
  realm: 'wallet',
  summary: 'Uploads a file before the details it belongs to (SEP-12)',
  raw: true,
  streamed: true,
  accepts: ['multipart/form-data'],
  body: Type.Object({ file: Type.String({ format: 'binary' }) }),
  bodyLimit: MAX_FILE_BYTES + FORM_BYTES,
  response: { 200: Sep12File },
  problems: ['too-many-requests'],
})

export const listSep12Files = endpoint('GET /sep12/customer/files', {
  realm: 'wallet',
  summary: "The wallet's files by file_id or customer_id (SEP-12)",
  query: Type.Object({
    file_id: Type.Optional(Type.String({ maxLength: 100 })),
    customer_id: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  response: { 200: Type.Object({ files: Type.Array(Sep12File, { maxItems: 200 }) }) },
})
