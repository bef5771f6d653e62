import { type EmailLanguage, emailLanguages } from '@windlass/contracts/platform/emails.ts'
import { chosenLanguage, languageOf } from '@windlass/service/http/language.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { PlatformDb } from '../tables.ts'

/** The language in which the person with this address gets emails: English by default. */
export async function findLanguage(db: PlatformDb, address: string): Promise<EmailLanguage> {
  const row = await db
    .selectFrom('email_languages')
    .select('language')
    .where('address', '=', address.toLowerCase())
    .executeTakeFirst()
  return row?.language ?? emailLanguages[0]
}

/**
 * Stores the language of the browser with which someone signs in. One that the person chose stays until they choose
 * another.
 */
export async function keepLanguageOf(
  db: PlatformDb,
  address: string,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const chosen = chosenLanguage(headers, emailLanguages)
  if (chosen) await store(db, { address, language: chosen, chosen: true })
  else if (headers['accept-language'])
    await store(db, { address, language: languageOf(headers, emailLanguages), chosen: false })
}

/** Stores the language that a signed-in person chose. */
export const chooseLanguage = (db: PlatformDb, address: string, language: EmailLanguage): Promise<void> =>
  store(db, { address, language, chosen: true })

/** For an account that is deleted. */
export async function forgetLanguage(db: PlatformDb, address: string): Promise<void> {
  await db.deleteFrom('email_languages').where('address', '=', address.toLowerCase()).execute()
}

async function store(
  db: PlatformDb,
  { address, language, chosen }: { address: string; language: EmailLanguage; chosen: boolean },
): Promise<void> {
  await db
    .insertInto('email_languages')
    .values({ address: address.toLowerCase(), language, chosen })
    .onConflict(conflict => {
      const update = conflict.column('address').doUpdateSet({ language, chosen })
      return chosen ? update : update.where('email_languages.chosen', '=', false)
    })
    .execute()
}
