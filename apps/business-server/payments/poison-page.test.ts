import { Asset, Memo, Operation, type xdr } from '@stellar/stellar-sdk/base'
import { proveTransaction } from '@windlass/stellar/archive/prove.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { issuersOutOfOrder, signRaw, trustPool } from '@windlass/stellar/testing/raw-transaction.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWithdrawal } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar } from '../testing/liar.ts'
import { bookNetworkFees } from './network-fees.ts'
import { observePayments } from './observe.ts'
import { recordUnknown } from './record-unknown.ts'

async function poisonerOf(anchor: LedgerAnchor) {
  const pair = issuersOutOfOrder()
  const stranger = generateKey()
  for (const key of [...pair, stranger]) await anchor.fund(key)
  const lines = pair.map(({ publicKey }) => Operation.changeTrust({ asset: new Asset('USD', publicKey) }))
  await anchor.apply(stranger, lines)
  return { pair, stranger }
}

/** Some stroops for the anchor, beside a trustline that the SDK refuses to read. */
async function submitPoison(
  anchor: LedgerAnchor,
  { pair, stranger }: Awaited<ReturnType<typeof poisonerOf>>,
  { limit, payments, fails = false }: { limit: bigint; payments: number; fails?: boolean },
): Promise<string> {
  const { passphrase, url } = anchor.network
  const account = await anchor.horizon.account(stranger.publicKey)
  const destination = anchor.distribution.publicKey
  const pay = (amount: string): xdr.Operation =>
    Operation.payment({ asset: Asset.native(), amount, destination })
  const operations = [trustPool(pair, limit), ...Array.from({ length: payments }, () => pay('0.0000001'))]
  if (fails) operations.push(pay('900000000000'))
  const { envelope, hash } = signRaw({
    ...{ source: stranger, sequence: account?.sequence ?? '0', operations, passphrase },
  })
  const answer = await fetch(`${url}/transactions`, {
    ...{ method: 'POST', body: new URLSearchParams({ tx: envelope }) },
  })
  expect([answer.status, await answer.text()]).toEqual([fails ? 400 : 200, expect.any(String)])
  return hash
}

describe('what a stranger adds to a transaction', () => {
  let anchor: LedgerAnchor
  let customer: AccountKey
  beforeEach(async () => {
    ;({ anchor, customer } = await startWithCustomer())
  })
  afterEach(() => anchor.stop())

  const stateOf = async (id: string) =>
    (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state

  it('keeps no customer’s payment unread: three transactions for 0.03 XLM did', async () => {
    const { id, memo } = await startWithdrawal(anchor, customer)
    const poisoner = await poisonerOf(anchor)
    for (const limit of [1n, 2n, 3n]) await submitPoison(anchor, poisoner, { limit, payments: 99 })
    await anchor.sendBack(customer, '20', Memo.id(memo))
    for (let reads = 0; reads < 2; reads++) await observePayments(anchor.deps)
    expect(await stateOf(id)).toBe('funded')
    // Dust stays dust: a row and an incident for each stroop would be another flood.
    expect(await anchor.rows("select 1 from ledger_incidents where kind = 'unreadable-payment'")).toEqual([])
    expect(await anchor.rows("select payments from ledger_dust where asset = 'native'")).toEqual([
      { payments: '297' },
    ])
  }, 120_000)

  it.each([false, true])('hides no history of the account, failed: %s', async fails => {
    await anchor.sendBack(customer, '3')
    const poisoner = await poisonerOf(anchor)
    const hash = await submitPoison(anchor, poisoner, { limit: 1n, payments: 1, fails })
    const shown = await anchor.horizon.transactionsOf(anchor.distribution.publicKey)
    expect(shown.find(each => each.hash === hash)).toMatchObject({
      ...{ source: poisoner.stranger.publicKey, successful: !fails, xdr: expect.any(String) },
    })
    await anchor.deps.database.pool.query(
      "update observed set accounted_sequence = '0', accounted_cursor = '0'",
    )
    await expect(recordUnknown(anchor.deps, 'to-sign')).resolves.toMatchObject({
      id: anchor.distribution.publicKey,
    })
  })

  it('keeps no transaction of its ledger unproven', async () => {
    const { network } = anchor
    const hash = await submitPoison(anchor, await poisonerOf(anchor), { limit: 1n, payments: 1 })
    const ledger = network.latestLedger
    do network.close()
    while ((network.latestLedger + 1) % 64 !== 0)
    const organizations = [{ domain: 'localhost', validators: [network.validator.publicKey()] }]
    const archives = [network.archiveUrl]
    const proof = await proveTransaction(
      { passphrase: network.passphrase, organizations, archives },
      { hash, ledger },
    )
    expect(proof).toMatchObject({ hash, successful: true, signedBy: ['localhost'] })
  })

  it('is passed in the history of the account where nobody can read it, and not where it is the account’s own', async () => {
    const poisoner = await poisonerOf(anchor)
    const hash = await submitPoison(anchor, poisoner, { limit: 1n, payments: 1 })
    const { publicKey } = anchor.distribution
    let by = poisoner.stranger.publicKey
    const url = await startLiar(anchor.network.url, {
      told: 0,
      tell: (path, body) => {
        if (!path.startsWith(`/accounts/${publicKey}/transactions`)) return null
        const page = JSON.parse(body) as { _embedded: { records: Record<string, unknown>[] } }
        for (const record of page._embedded.records)
          if (record['hash'] === hash) Object.assign(record, { envelope_xdr: 'AAAA', source_account: by })
        return JSON.stringify(page)
      },
    })
    const read = () => createHorizon({ ...anchor.network, url }).transactionsOf(publicKey, '', 'asc')
    const shown = await read()
    expect(shown).toHaveLength((await anchor.horizon.transactionsOf(publicKey)).length)
    expect(shown.find(each => each.hash === hash)).toMatchObject({ xdr: null, feeCharged: 0n })
    by = publicKey
    await expect(read()).rejects.toMatchObject({ code: 'ledger-unavailable' })
  })
})

it('keeps no fee of an anchor of XLM unbooked', async () => {
  const anchor = await LedgerAnchor.start()
  try {
    await anchor.serveXlm('100')
    await submitPoison(anchor, await poisonerOf(anchor), { limit: 1n, payments: 1 })
    await bookNetworkFees(anchor.deps)
    const [{ fees_cursor: cursor } = { fees_cursor: null }] = await anchor.rows<{
      fees_cursor: string | null
    }>('select fees_cursor from observed')
    const [last] = await anchor.horizon.transactionsOf(anchor.distribution.publicKey)
    expect(cursor).toBe(last?.cursor)
  } finally {
    await anchor.stop()
  }
})
