import { type NotificationReport, reportNotifications } from '@windlass/contracts/notifications.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import { spendableXlm } from '@windlass/stellar/horizon-account.ts'
import { seedSigner } from '@windlass/stellar/keys.ts'
import type { Deps } from '../deps.ts'

/** Stroops: enough for some anchors. */
const LEAST = 500_000_000n
const REPEAT_MS = 3_600_000

/**
 * Looks at what FUNDING_ACCOUNT can spend and reports to the platform, whose administrators are notified, where it gets
 * low and where it has enough again. Throws {@link LedgerError}, and where the platform does not answer.
 */
export function createFundingWatch(
  deps: Pick<Deps, 'config' | 'routineHorizon' | 'platform'>,
): () => Promise<void> {
  let accepted = ''
  let repeatAt = 0
  return async () => {
    const { funding } = deps.config.ledger
    if (funding.kind !== 'account') return
    const body = await lookAt(deps, seedSigner(funding.seed).address)
    const text = JSON.stringify(body.conditions)
    if (text === accepted && performance.now() < repeatAt) return
    await deps.platform.call(reportNotifications, { body, signal: AbortSignal.timeout(10_000) })
    accepted = text
    repeatAt = performance.now() + REPEAT_MS
  }
}

async function lookAt(
  { routineHorizon }: Pick<Deps, 'routineHorizon'>,
  address: string,
): Promise<NotificationReport> {
  const account = await routineHorizon.account(address)
  const { baseReserve } = await routineHorizon.head()
  const spendable = account ? spendableXlm(account, baseReserve) : 0n
  const kind = 'funding-low' as const
  const report: NotificationReport = { evaluated: [kind], conditions: [], events: [] }
  if (spendable >= LEAST) return report
  const [xlm, least] = [spendable > 0n ? spendable : 0n, LEAST].map(each => formatAmount(amountOf(each)))
  const detail = `The funding account ${address} can spend ${xlm} XLM. The limit is ${least} XLM.`
  return { ...report, conditions: [{ kind, subject: address, detail }] }
}
