import { type NotificationReport, reportNotifications } from '@windlass/contracts/platform/notifications.ts'
import { getFundingAccount } from '@windlass/contracts/internal/signer.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import { spendableXlm } from '@windlass/stellar/horizon-account.ts'
import type { Deps } from '../deps.ts'

/** Stroops: enough for some anchors. */
const LEAST = 500_000_000n
const TIMEOUT_MS = 10_000
const REPEAT_MS = 3_600_000

/**
 * Looks at what the funding account, if there is one, can spend and reports to the platform, whose administrators are notified, where it gets
 * low and where it has enough again. Throws {@link LedgerError}, and where the platform or the signer does not answer.
 */
export function createFundingWatch(
  deps: Pick<Deps, 'routineHorizon' | 'platform' | 'signer'>,
): () => Promise<void> {
  let accepted = ''
  let repeatAt = 0
  return async () => {
    const within = { signal: AbortSignal.timeout(TIMEOUT_MS) }
    const { account } = await deps.signer.call(getFundingAccount, within)
    if (account === null) return
    const body = await lookAt(deps, account)
    const text = JSON.stringify(body.conditions)
    if (text === accepted && performance.now() < repeatAt) return
    await deps.platform.call(reportNotifications, { body, signal: AbortSignal.timeout(TIMEOUT_MS) })
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
