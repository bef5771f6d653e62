import { Memo, Operation } from '@stellar/stellar-sdk/base'
import type { TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import { formatAmount, amountOf, parseAmount } from '@windlass/money/amount.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanceOf } from '../money/journal/journal.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { asPlatform } from '../testing/as-platform.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { observePayments } from './observe.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { sweepExcess } from './sweep.ts'
import { reportedBy } from '../testing/reported-by.ts'

let anchor: LedgerAnchor
/** The accounts of another anchor, which the platform knows. */
let others: string[]
beforeEach(async () => {
  others = []
  anchor = await LedgerAnchor.start()
  anchor.deps.customerRegistry.isAnchors = async account => others.includes(account)
  anchor.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_1',
    status: 'ACCEPTED',
    walletVerified: true,
  })
  await anchor.issue()
  await observePayments(anchor.deps)
})
afterEach(() => anchor.stop())

async function beginDeposit(destination: string) {
  const over = { amount_expected: { amount: '100' }, memo: '4711', memo_type: 'id' }
  const { id } = await acceptTransaction(anchor.deps, reportedBy(destination, over))
  return confirm(anchor.deps, id)
}

const payIn = ({ rail, reference, fiat_amount, currency }: Awaited<ReturnType<typeof beginDeposit>>) =>
  receiveRailPayment(anchor.deps, rail, {
    kind: 'received',
    paymentId: randomUUID(),
    reference: reference ?? '',
    amount: fiat_amount ?? '',
    currency,
  })

const refundsOf = (of: LedgerAnchor) =>
  of.rows<{ destination: string }>("select destination from ledger_payments where purpose = 'refund'")

const held = async () =>
  (await anchor.incidents()).filter(({ kind, resolved_at }) => kind === 'held-receipt' && !resolved_at)

/** A round of an anchor's life. */
async function live(of: LedgerAnchor): Promise<void> {
  await observePayments(of.deps)
  await of.pay()
}

describe('two anchors of one asset', () => {
  it('end after one refund, and the rest waits for a person', async () => {
    const second = await LedgerAnchor.start({ beside: anchor })
    try {
      await payIn(await beginDeposit(second.distribution.publicKey))
      for (let round = 0; round < 10; round++) {
        await live(anchor)
        await live(second)
      }
      expect([await refundsOf(anchor), (await refundsOf(second)).length]).toEqual([[], 1])
      const [incident, ...further] = await held()
      expect(further).toEqual([])
      const [deposit] = await anchor.rows<{ hash: string }>(
        "select hash from ledger_payments where purpose = 'deposit'",
      )
      expect(incident?.details).toMatchObject({
        reason: 'memo-return',
        answers: deposit?.hash,
        amount: '100',
      })
      expect(formatAmount(await balanceOf(anchor.deps.database.db, 'suspense', 'asset'))).toBe('-100')
      // Who sends it back all the same gets it back once, and is asked again.
      expect((await resolve(incident?.id, 'not-applied')).statusCode).toBe(200)
      for (let round = 0; round < 5; round++) {
        await live(anchor)
        await live(second)
      }
      expect([(await refundsOf(anchor)).length, (await refundsOf(second)).length]).toEqual([1, 1])
      const other = (await second.incidents()).filter(({ kind }) => kind === 'held-receipt')
      expect(other).toHaveLength(1)
    } finally {
      await second.app.close()
    }
  })

  it('begin nothing where the platform knows the account, nor with an account of its own', async () => {
    const other = generateKey().publicKey
    others = [other]
    const { accounts } = anchor.deps.config.anchor
    for (const account of [other, accounts.distribution, accounts.issuer, accounts.signing]) {
      const begun = beginDeposit(account)
      await expect(begun).rejects.toThrow('an anchor has this account')
    }
    expect(await anchor.rows("select 1 from transfers where state <> 'new'")).toEqual([])
    // One that was agreed before is not paid either: its money goes back over the rail.
    const { id, ...agreed } = await beginDeposit(generateKey().publicKey)
    await anchor.deps.database.pool.query('update transfers set stellar_account = $1 where id = $2', [
      accounts.distribution,
      id,
    ])
    await payIn({ ...agreed, id })
    expect((await findTransfer(anchor.deps.database.db, id))?.state).toBe('returning')
    expect(await anchor.rows('select 1 from ledger_payments')).toEqual([])
  })
})

const resolve = (id: string | undefined, outcome: string) =>
  anchor.app.server.app.inject({
    method: 'POST',
    url: `/admin/ledger-incidents/${id}/resolve`,
    headers: asPlatform(anchor.deps.config.secrets),
    payload: { outcome, resolution: 'Asked them.', by: 'operator:asha' },
  })

describe('a service that answers every payment with a payment', () => {
  it('gets one refund, whatever it keeps, with or without a memo, and however often it begins', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 10 }),
        fc.constantFrom('none', 'text', 'return'),
        async (percent, memo) => {
          const service = await anchor.customerWithAsset()
          await anchor.sendBack(service, '20', Memo.text('unknown'))
          let received = await anchor.held(service)
          for (let round = 0; round < 6; round++) {
            await live(anchor)
            const now = await anchor.held(service)
            const came = parseAmount(now ?? '0') - parseAmount(received ?? '0')
            if (came > 0n) await answer(service, (came * BigInt(100 - percent)) / 100n, memo)
            received = await anchor.held(service)
          }
          const refunds = (await refundsOf(anchor)).filter(
            ({ destination }) => destination === service.publicKey,
          )
          expect(refunds).toHaveLength(1)
          const waiting = (await held()).filter(({ details }) => details.sender === service.publicKey)
          expect(waiting).toHaveLength(1)
        },
      ),
      {
        numRuns: 10,
        examples: [
          [0, 'none'],
          [10, 'text'],
          [0, 'return'],
        ],
      },
    )
  })

  const answer = (service: AccountKey, units: bigint, memo: string) =>
    anchor.sendBack(
      service,
      formatAmount(amountOf(units)),
      memo === 'none' ? Memo.none() : memo === 'text' ? Memo.text('returned') : Memo.return('a'.repeat(64)),
    )

  it('is no mistake of a customer: those are refunded as before, also several at once', async () => {
    const customer = await anchor.customerWithAsset()
    for (const amount of ['5', '5', '7']) await anchor.sendBack(customer, amount)
    await live(anchor)
    await anchor.sendBack(customer, '50')
    await live(anchor)
    expect(await refundsOf(anchor)).toHaveLength(4)
    expect(await held()).toEqual([])
  })

  it('is not swept to again, and operators hear why, where it is the cold account', async () => {
    const cold = await anchor.customerWithAsset()
    const put = (coldAccount: string) => {
      const settings: TreasurySettings = { low: '1000', ceiling: '900000', coldAccount, xlmLow: '1' }
      return anchor.app.server.app.inject({
        method: 'PUT',
        url: '/admin/treasury-settings',
        headers: asPlatform(anchor.deps.config.secrets),
        payload: { ...settings, by: 'operator:usr_1' },
      })
    }
    others = [generateKey().publicKey]
    expect((await put(others[0] ?? '')).statusCode).toBe(400)
    expect((await put(cold.publicKey)).statusCode).toBe(200)
    await observePayments(anchor.deps)
    await sweepExcess(anchor.deps)
    await live(anchor)
    const sweeps = () =>
      anchor.rows<{ amount: string }>("select amount from ledger_payments where purpose = 'sweep'")
    const [sweep] = await sweeps()
    await anchor.apply(
      cold,
      [
        Operation.payment({
          asset: anchor.asset,
          amount: sweep?.amount ?? '',
          destination: anchor.distribution.publicKey,
        }),
      ],
      Memo.return('b'.repeat(64)),
    )
    await live(anchor)
    await anchor.rows("update ledger_payments set paid_at = paid_at - interval '2 hours'")
    await sweepExcess(anchor.deps)
    expect(await sweeps()).toHaveLength(1)
    const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
    expect(conditions.find(({ kind }) => kind === 'treasury-high')?.detail).toContain('sent units back')
  })
})
