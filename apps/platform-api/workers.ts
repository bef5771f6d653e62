import { pruneInvitations } from './administrators/invitations.ts'
import { startMockDeliveries } from '@windlass/kyc-providers/mock/mock-provider.ts'
import { pruneIdempotency } from '@windlass/service/http/idempotency.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { startOutbox, type Deliver } from '@windlass/service/work/outbox.ts'
import { createOutage } from '@windlass/service/observe/outage.ts'
import { pruneRates } from '@windlass/service/http/rates.ts'
import { pruneEvents } from './anchors/events.ts'
import { sealProofKeys } from './anchors/proof-keys.ts'
import { reconcileRegistry, SYNC_TOPIC, syncAnchor } from './anchors/registry.ts'
import { requestRemoval, REMOVAL_TOPIC } from './anchors/remove.ts'
import { WIND_DOWN_TOPIC } from './anchors/wind-down.ts'
import { announceClosing } from './workspaces/announce-closing.ts'
import { REMOVE_CREDENTIALS_TOPIC, removeCredentials, sweepCredentials } from './applications/credentials.ts'
import { anchorHead } from './audit/anchor.ts'
import { START } from './audit/chain.ts'
import { endLostActs } from './audit/remote-act.ts'
import { signHead } from './audit/sign.ts'
import type { Deps } from './deps.ts'
import { FORWARD_TOPIC, forwardReport, pruneDeliveries } from './kyc/report.ts'
import { lookUpNames } from './kyc/verified-name.ts'
import { deliverEmail } from './mail/deliver.ts'
import { pruneCustomerEmails } from './mail/customer-emails.ts'
import { MAIL_TOPIC } from './mail/email.ts'
import { pruneMovements } from './movements/movements.ts'
import { pruneNotifications } from './notifications/record.ts'
import { deliverNotification, NOTIFICATION_TOPIC } from './notifications/webhooks.ts'
import { pruneCodes } from './otp/request.ts'
import { HAND_OVER_TOPIC, sendJob } from './provisioning/start.ts'
import { pruneAttempts } from './single-sign-on/attempts.ts'
import { pruneSessions } from './sessions/sessions.ts'
import { pruneAccounts } from './visits/accounts.ts'
import { pruneLogins } from './visits/visits.ts'
import { pruneTraces } from './anchors/access.ts'
import { pruneProofs } from './wallets/prove-by-login.ts'
import { pruneRemovals } from './wallets/removal.ts'
import { READ_SETTINGS_TOPIC, readSettings } from './workspaces/settings.ts'

const MINUTE_MS = 60_000
const SIGN_AUDIT_MS = 5_000
const ANCHOR_AUDIT_MS = 10 * MINUTE_MS

/** Starts every background loop. `drain` waits until nothing in the outbox is due. */
export function startWorkers(deps: Deps): { stop(): Promise<void>; drain(): Promise<void> } {
  const { database, logger, sealer } = deps
  const outbox = startOutbox({
    database,
    deliver: deliveries(deps),
    logger,
    sealer,
    atOnce: { [FORWARD_TOPIC]: 50, [NOTIFICATION_TOPIC]: 50 },
  })
  const outage = createOutage(logger, 'the database is unavailable')
  const every = (everyMs: number, name: string, act: () => Promise<unknown>): Loop =>
    loop({ name, everyMs, act, logger, outage, startNow: false })
  const loops = [
    every(SIGN_AUDIT_MS, 'sign-audit', auditSigner(deps)),
    every(ANCHOR_AUDIT_MS, 'anchor-audit', () => anchorHead(deps)),
    every(MINUTE_MS, 'end-lost-acts', () => endLostActs(deps)),
    every(MINUTE_MS, 'sweep-credentials', () => sweepCredentials(deps)),
    every(MINUTE_MS, 'seal-proof-keys', () => sealProofKeys(deps)),
    every(MINUTE_MS, 'look-up-names', () => lookUpNames(deps)),
    every(5 * MINUTE_MS, 'reconcile-registry', () => reconcileRegistry(deps)),
    every(60 * MINUTE_MS, 'prune', () => prune(deps)),
  ]
  const mock = startMockProvider(deps)
  return {
    drain: () => outbox.drain(),
    stop: async () => {
      await Promise.all(loops.map(each => each.stop()))
      await mock?.stop()
      await outbox.stop()
    },
  }
}

/** Remembers what it signed last, so that an older state of the database is noticed. */
function auditSigner(deps: Deps): () => Promise<void> {
  let last = START
  return async () => {
    last = await signHead(deps, last)
  }
}

/** Who delivers each topic of the outbox. */
function deliveries(deps: Deps): Record<string, Deliver> {
  return {
    [MAIL_TOPIC]: deliverEmail(deps),
    [HAND_OVER_TOPIC]: sendJob(deps),
    [SYNC_TOPIC]: syncAnchor(deps),
    [READ_SETTINGS_TOPIC]: readSettings(deps),
    [REMOVAL_TOPIC]: requestRemoval(deps),
    [WIND_DOWN_TOPIC]: announceClosing(deps),
    [FORWARD_TOPIC]: forwardReport(deps),
    [NOTIFICATION_TOPIC]: deliverNotification(deps),
    [REMOVE_CREDENTIALS_TOPIC]: removeCredentials(deps),
  }
}

/** Removes old rows that nothing reads again. Several processes may do it at once. */
export async function prune({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  await pruneSessions(database.db)
  await pruneAttempts(database.db)
  await pruneInvitations(database.db)
  await pruneCodes(database.db)
  await pruneAccounts(database.db, clock.now())
  await pruneRemovals(database.db)
  await pruneIdempotency(database.pool)
  await pruneRates(database.pool, clock.now())
  await pruneNotifications(database.db, clock.now())
  await pruneDeliveries(database.db)
  await pruneEvents(database.db)
  await pruneLogins(database.db)
  await pruneProofs(database.db)
  await pruneTraces(database.db)
  await pruneCustomerEmails(database.db, clock.now())
  await pruneMovements(database.db, clock.now())
}

/** Where the mock plays the provider, it also sends the provider's webhooks. */
function startMockProvider({ config, database: { pool }, clock, logger }: Deps) {
  if (config.kyc?.provider !== 'mock') return null
  const [secret] = config.kyc.webhookSecrets
  const webhookUrl = `${config.urls.platform}/api/v1/customer/kyc/webhook`
  return startMockDeliveries({ pool, webhookUrl, secret: secret ?? '', clock, logger })
}
