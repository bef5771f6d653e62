import Type from 'typebox'
import { endpoint, NoContent } from './endpoint.ts'

const Field = Type.Object({
  type: Type.String(),
  description: Type.String(),
  optional: Type.Optional(Type.Boolean()),
  choices: Type.Optional(Type.Array(Type.String())),
  status: Type.Optional(Type.String()),
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
  response: {
    200: Type.Object({
      id: Type.Optional(Type.String()),
      status: Type.String(),
      fields: Type.Optional(Type.Record(Type.String(), Field)),
      provided_fields: Type.Optional(Type.Record(Type.String(), Field)),
      message: Type.Optional(Type.String()),
    }),
  },
})

/** Takes JSON, a form or multipart with files. */
export const putSep12Customer = endpoint('PUT /sep12/customer', {
  realm: 'wallet',
  summary: "Hands in a customer's details (SEP-12)",
  raw: true,
  bodyLimit: 3 * 1024 * 1024,
  response: { 202: Type.Object({ id: Type.String() }) },
})

export const putSep12Callback = endpoint('PUT /sep12/customer/callback', {
  realm: 'wallet',
  summary: "Where changes of a customer's status are told (SEP-12)",
  raw: true,
  response: { 204: NoContent },
})

export const deleteSep12Customer = endpoint('DELETE /sep12/customer/:account', {
  realm: 'wallet',
  summary: "Forgets a customer's details (SEP-12)",
  params: Type.Object({ account: Type.String({ maxLength: 80 }) }),
  raw: true,
  response: { 200: Type.Object({}) },
})
