import { idOf, isNative } from '@windlass/contracts/internal/served-assets.ts'
import { runTestDeposit } from '@windlass/wallet-checks/test-deposit.ts'
import { CheckFailed } from '@windlass/wallet-checks/visit.ts'
import type { Loop } from '@windlass/service/work/loop.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { openTrustline } from '@windlass/stellar/trustline.ts'
import { getAnchor } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { startQueue } from '../queue.ts'
import { wake } from '../sleep/suspend.ts'
import { anchorToVisit } from '../check-runs/run-checks.ts'
import { claimDeposits, endDeposit, recordRequest, testWallet } from './records.ts'

const LOOK_EVERY_MS = 30_000
const AT_ONCE = 2
const STOP_WITHIN_MS = 3_000

type Claimed = Awaited<ReturnType<typeof claimDeposits>>[number]

/** Runs the test deposits that operators started. `run` is replaced in tests. */
export function startTestDeposits(deps: Deps, run: typeof deposit = deposit): Loop {
  const { database, clock, logger } = deps
  const claimed = new Map<string, Claimed>()
  return startQueue({
    name: 'deposits',
    logger,
    everyMs: LOOK_EVERY_MS,
    stopWithinMs: STOP_WITHIN_MS,
    atOnce: AT_ONCE,
    due: async free => {
      for (const row of await claimDeposits(database.db, clock.now(), free)) claimed.set(row.id, row)
      return [...claimed.keys()]
    },
    run: async (id, stopping) => {
      const row = claimed.get(id)
      claimed.delete(id)
      if (!row) return
      const failure = await run(deps, row, stopping)
      if (!stopping.aborted) await endDeposit(database.db, id, failure, clock.now())
    },
  })
}

/** Returns why it failed; null: the asset is in the wallet. */
async function deposit(deps: Deps, row: Claimed, stopping: AbortSignal): Promise<string | null> {
  // A second deposit would follow the first one, which may still complete.
  if (row.attempts > 1) return 'Windlass was restarted during the deposit. Start another one.'
  const { plan } = await getAnchor(deps.database.db, row.anchor_id)
  const anchor = await anchorToVisit(deps, plan)
  const wallet = await testWallet(deps, row.anchor_id)
  try {
    await wake(deps, row.anchor_id)
    await runTestDeposit(anchor, {
      outbound: deps.outbound,
      now: () => deps.clock.now(),
      wallet,
      rail: row.rail,
      ledger: ledgerOf(deps, wallet, anchor),
      record: (request, transactionId) => recordRequest(deps.database.db, row.id, request, transactionId),
      stopping,
    })
    return null
  } catch (error) {
    if (error instanceof CheckFailed) return error.message
    if (stopping.aborted) return null
    deps.logger.warn({ err: error, anchorId: row.anchor_id }, 'a test deposit failed')
    return 'The test deposit could not be completed. Try again.'
  }
}

type Wallet = Awaited<ReturnType<typeof testWallet>>
type Anchor = Awaited<ReturnType<typeof anchorToVisit>>

function ledgerOf({ horizon, config }: Deps, wallet: Wallet, { asset, networkPassphrase }: Anchor) {
  const { friendbotUrl } = config.ledger
  return {
    prepare: async () => {
      if (!friendbotUrl)
        throw new LedgerError('faucet-unavailable', 'The public network has no faucet for test wallets.')
      const funded = await fundFromFaucet(friendbotUrl, horizon, wallet.publicKey)
      if (isNative(asset)) return `account ${funded}`
      const trusted = await openTrustline(horizon, networkPassphrase, wallet, asset)
      return `account ${funded}, trustline ${trusted === 'applied' ? 'opened' : 'already open'}`
    },
    balance: async () => {
      const account = await horizon.account(wallet.publicKey)
      const line = account?.balances.find(({ asset: held }) => held === idOf(asset))
      return line?.balance ?? '0'
    },
  }
}
