import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { enqueueEmail, normalizedEmail } from '../mail/email.ts'
import { recordNotification } from '../notifications/record.ts'
import { confirmCredentials, storeCredentials } from './credentials.ts'
import { receivedEmail } from './emails.ts'
import { insertApplication } from './queries.ts'
import { isForXlm, lookUpIssuers } from './check-assets.ts'
import { type GivenSubmission, readSubmission } from './read-submission.ts'

async function hasXlmRate({ exchangeRates, config }: Deps): Promise<boolean> {
  if (exchangeRates === null) return config.hasXlmRate
  await exchangeRates.refresh()
  return exchangeRates.current()?.rates.XLM !== undefined
}

/**
 * Accepts a founder's application, and emails that it came unless `mailed` says that the address, which may be a stranger's,
 * has got enough of these emails. Rail credentials are put in the secrets store first and stored nowhere else. Throws
 * `validation-failed`, or `dependency-unavailable` where there are credentials and the store is down.
 *
 * @param language of the emails about it
 */
export async function submit(deps: Deps & { mailed: Rate }, given: GivenSubmission, language: EmailLanguage) {
  const submission = readSubmission(given)
  if (isForXlm(submission.stellarConfig) && !(await hasXlmRate(deps)))
    throw invalid('stellarConfig.assets.0.code', 'must not be XLM: this platform has no exchange rate for it')
  const warnings = await lookUpIssuers(deps, submission.stellarConfig)
  const id = newId('app')
  const credentials = submission.credentials ? `windlass/applications/${id}/rails` : null
  if (credentials) await storeCredentials(deps, credentials, submission.credentials)
  const now = deps.clock.now()
  const { name, businessEmail } = submission.companyProfile
  const isMailed = (await deps.mailed.take(normalizedEmail(businessEmail))) === null
  await deps.database.db.transaction().execute(async tx => {
    if (credentials) await confirmCredentials(tx, credentials)
    await insertApplication(tx, { id, submission, credentials, language, now })
    const key = `application-received:${id}`
    const email = receivedEmail({ applicationId: id })
    if (isMailed) await enqueueEmail(tx, deps.sealer, key, businessEmail, email, language)
    const detail = `${name} applied for an anchor.`
    await recordNotification(deps, tx, null, { kind: 'application-received', subject: id, detail })
    await record(
      tx,
      { actor: `founder:${id}`, action: 'application.submitted', subject: `application:${id}` },
      now,
    )
  })
  const { companyProfile, stellarConfig, compliance } = submission
  return {
    id,
    status: 'applied' as const,
    companyProfile,
    stellarConfig,
    compliance,
    createdAt: now.toISOString(),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}
