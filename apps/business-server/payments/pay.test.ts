import { generateKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAULTS, type Fault, UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { queuePayment } from './ledger-payments.ts'
import { payQueued } from './pay.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'

let app: BusinessApp
beforeAll(async () => {
  app = await startBusinessApp()
})
afterAll(() => app.close())

const destination = generateKey().publicKey

function ledgerWith(faults: Fault[]): UnreliableNetwork {
  const { accounts, plan } = app.deps.config.anchor
  return new UnreliableNetwork({ faults, asset: () => `${plan.asset.code}:${accounts.issuer}` })
}

const queue = (cause: string) =>
  queuePayment(app.deps, app.deps.database.db, {
    cause,
    transfer_id: null,
    purpose: 'refund',
    asset: null,
    destination,
    amount: '10',
    memo: null,
    memo_type: null,
    claimable: false,
  })

async function states(causes: string[]): Promise<string[]> {
  const { rows } = await app.deps.database.pool.query<{ state: string }>(
    'select state from ledger_payments where cause = any($1)',
    [causes],
  )
  return rows.map(({ state }) => state)
}

/** As often as a process may be started again: each round begins from what the database holds. */
async function payThroughFaults(ledger: UnreliableNetwork, causes: string[]): Promise<void> {
  for (let restart = 0; restart < 60; restart++) {
    await app.deps.database.pool.query(
      "update ledger_payments set next_try_at = now() where state = 'queued'",
    )
    await payQueued({ ...app.deps, horizon: ledger })
    if ((await states(causes)).every(state => state === 'paid')) return
  }
  throw new Error('the payments do not come to an end')
}

describe('a payment on the ledger', () => {
  it('is made exactly once, whatever answers are lost and wherever it breaks off', async () => {
    const fault = fc.constantFrom<Fault>('none', 'none', 'none', ...FAULTS)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (faults, count) => {
          const causes = Array.from({ length: count }, () => `test:${randomUUID()}`)
          for (const cause of causes) await queue(cause)
          const ledger = ledgerWith(faults)
          await payThroughFaults(ledger, causes)
          expect(ledger.applied).toHaveLength(count)
          expect(await states(causes)).toEqual(causes.map(() => 'paid'))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('is queued once for a cause', async () => {
    const cause = `test:${randomUUID()}`
    await Promise.all([queue(cause), queue(cause), queue(cause)])
    expect(await states([cause])).toEqual(['queued'])
    const ledger = ledgerWith([])
    await payThroughFaults(ledger, [cause])
    await queue(cause)
    await payQueued({ ...app.deps, horizon: ledger })
    expect(ledger.applied).toHaveLength(1)
  })

  it('waits while the destination cannot hold the asset, without touching the ledger', async () => {
    const cause = `test:${randomUUID()}`
    await queue(cause)
    const ledger = ledgerWith([])
    ledger.untrusted.add(destination)
    await payQueued({ ...app.deps, horizon: ledger })
    expect(ledger.applied).toHaveLength(0)
    ledger.untrusted.clear()
    await payThroughFaults(ledger, [cause])
    expect(ledger.applied).toHaveLength(1)
  })
})
