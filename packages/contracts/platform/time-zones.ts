import Type from 'typebox'
import { Ok } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/** An IANA name such as `Asia/Kolkata`. */
export const TimeZone = Type.String({ pattern: '^[A-Za-z]+(/[A-Za-z0-9_+-]+)*$', maxLength: 64 })

const choice = {
  summary: 'Keeps the time zone in which your screens show times; null: each device uses its own',
  body: Type.Object({ timeZone: Type.Union([TimeZone, Type.Null()]) }),
  response: { 200: Ok },
} as const

export const chooseOperatorTimeZone = endpoint('PUT /api/v1/auth/time-zone', { realm: 'operator', ...choice })

export const chooseCustomerTimeZone = endpoint('PUT /api/v1/customer/time-zone', {
  realm: 'customer',
  ...choice,
})

export const chooseAdminTimeZone = endpoint('PUT /api/v1/admin/time-zone', {
  realm: 'admin',
  role: 'viewer',
  ...choice,
})
