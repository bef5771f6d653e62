import {
  chooseAdminLanguage,
  chooseCustomerLanguage,
  chooseOperatorLanguage,
  type EmailLanguage,
  emailLanguages,
  listEmails,
  previewEmail,
} from '@windlass/contracts/platform/emails.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { declaredEmails, type LocalizedEmail } from './email.ts'
import { chooseLanguage } from './languages.ts'
import { markSandbox } from './sandbox.ts'

/** No script, no request but for images, and only in a frame of the console that forwards to us. */
const PREVIEW_CSP = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join('; ')

/** Every email as it is sent, written with sample data; and the language in which each person gets theirs. */
export function emailRoutes(on: On, { config, database: { db } }: Deps): void {
  const written = (email: LocalizedEmail, language: EmailLanguage) =>
    config.sandbox ? markSandbox(email(language), language) : email(language)
  const choose = async (address: string, language: EmailLanguage) => {
    await chooseLanguage(db, address, language)
    return { ok: true }
  }
  on(chooseOperatorLanguage).serve(({ principal, body }) => choose(principal.email, body.language))
  on(chooseCustomerLanguage).serve(({ principal, body }) => choose(principal.email, body.language))
  on(chooseAdminLanguage).serve(({ principal, body }) => choose(principal.username, body.language))
  on(listEmails).serve(() =>
    [...declaredEmails().values()].map(({ name, recipients, sample }) => ({
      name,
      recipients: [...recipients],
      versions: emailLanguages.map(language => {
        const { subject, text } = written(sample, language)
        return { language, subject, text }
      }),
    })),
  )
  on(previewEmail).serve(({ params, query }) => {
    const email = declaredEmails().get(params.name)
    if (!email) throw new Problem('not-found', 'There is no email with this name.')
    const { html } = written(email.sample, query.language ?? emailLanguages[0])
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PREVIEW_CSP,
      'x-frame-options': 'SAMEORIGIN',
    }
    return answer(200, html, { headers })
  })
}
