import Type, { type Static } from 'typebox'
import { Ok } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/** The languages of emails, the default first. */
export const emailLanguages = ['en', 'es'] as const
const EmailLanguage = Type.Enum([...emailLanguages])
export type EmailLanguage = Static<typeof EmailLanguage>

/** Who gets an email of a kind. An applicant is a founder whose application is not approved yet. */
const EmailRecipient = Type.Enum(['applicant', 'operator', 'administrator', 'customer'])
export type EmailRecipient = Static<typeof EmailRecipient>

/** A kind of email, written with sample data. */
export const EmailSample = Type.Object({
  /** `application-received` */
  name: Type.String(),
  recipients: Type.Array(EmailRecipient, { maxItems: 4 }),
  /** The plain text of the email in each language. */
  versions: Type.Array(
    Type.Object({ language: EmailLanguage, subject: Type.String(), text: Type.String() }),
    { maxItems: 2 },
  ),
})
export type EmailSample = Static<typeof EmailSample>

export const listEmails = endpoint('GET /api/v1/admin/emails', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Every kind of email that the platform sends, written with sample data',
  response: { 200: Type.Array(EmailSample, { maxItems: 100 }) },
})

/** The page's own policy allows no script; it can be shown in a frame of the same origin. */
export const previewEmail = endpoint('GET /api/v1/admin/emails/:name/html', {
  realm: 'admin',
  role: 'viewer',
  summary: 'The HTML of an email, written with sample data',
  params: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
  query: Type.Object({ language: Type.Optional(EmailLanguage) }),
  response: { 200: Type.String() },
  problems: ['not-found'],
  file: 'text/html',
})

const choice = {
  summary: 'Keeps the language in which you get emails',
  body: Type.Object({ language: EmailLanguage }),
  response: { 200: Ok },
} as const

export const chooseOperatorLanguage = endpoint('PUT /api/v1/auth/language', { realm: 'operator', ...choice })

export const chooseCustomerLanguage = endpoint('PUT /api/v1/customer/language', {
  realm: 'customer',
  ...choice,
})

export const chooseAdminLanguage = endpoint('PUT /api/v1/admin/language', {
  realm: 'admin',
  role: 'viewer',
  ...choice,
})
