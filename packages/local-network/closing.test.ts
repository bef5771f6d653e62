import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationCapacity } from './ledger/header.ts'
import { Ledger } from './ledger/ledger.ts'
import { testPassphrase } from './local-network.ts'
import { openDatabase } from './store/database.ts'
import { data, operation, pay, native, signatureOf } from './testing/laboratory.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-network-closing-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fromRoot(ledger: Ledger, operations: readonly xdr.Operation[]) {
  const root = ledger.pendingAccount(ledger.root.publicKey())
  const tx = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(ledger.root.rawPublicKey()),
    fee: 100 * operations.length,
    seqNum: (root?.sequence ?? 0n) + 1n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [...operations],
    ext: xdr.TransactionExt.v0(),
  })
  const envelope = (signatures: xdr.DecoratedSignature[]) =>
    ledger.read(
      xdr.TransactionEnvelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx, signatures })).toXdr(
        'base64',
      ),
    )
  return envelope([signatureOf(ledger.root, envelope([]).hash)])
}

describe('a ledger', () => {
  it('that the disk has no room for stays open, and closes whole once there is', async () => {
    const database = openDatabase(join(folder, 'full'))
    const ledger = new Ledger(database, { passphrase: testPassphrase, clock: Date.now, resolution: 1 })
    const pages = Number(database.row('PRAGMA page_count')?.['page_count'])
    const names = Array.from({ length: 100 }, (_, index) => operation(data(`name ${index}`, 'x'.repeat(64))))
    const submissions = [fromRoot(ledger, names)].map(incoming => ledger.submit(incoming))
    submissions.push(ledger.submit(fromRoot(ledger, [operation(pay(Keypair.random(), native, 1n))])))
    const [first] = submissions
    if (first?.status !== 'pending') throw new Error(first?.status)
    let closed = false
    void first.closed.then(() => (closed = true))

    database.rows(`PRAGMA max_page_count = ${pages + 1}`)
    expect(() => ledger.close()).toThrow('full')
    await Promise.resolve()
    expect(closed).toBe(false)
    expect(ledger.latest.sequence).toBe(1)
    expect(ledger.waiting).toBe(2)
    expect(database.rows('SELECT * FROM data')).toEqual([])

    database.rows('PRAGMA max_page_count = 1000000')
    expect(ledger.close().sequence).toBe(2)
    await first.closed
    expect(database.rows('SELECT * FROM data')).toHaveLength(100)
    expect(database.rows('SELECT * FROM transactions')).toHaveLength(2)
    database.close()
  })

  it('takes so many operations and no more; the next one takes them', () => {
    const database = openDatabase(':memory:')
    const ledger = new Ledger(database, { passphrase: testPassphrase, clock: Date.now, resolution: 1 })
    const hundred = Array.from({ length: 100 }, () => operation(pay(ledger.root, native, 1n)))
    for (let each = 0; each < operationCapacity / 100; each++)
      expect(ledger.submit(fromRoot(ledger, hundred)).status).toBe('pending')
    const late = fromRoot(ledger, [operation(pay(ledger.root, native, 1n))])
    expect(ledger.submit(late).status).toBe('later')
    ledger.close()
    expect(ledger.submit(late).status).toBe('pending')
    database.close()
  })

  it('has the time of its first transaction, or of its close when it is empty', () => {
    let now = 1_900_000_000_000
    const database = openDatabase(':memory:')
    const ledger = new Ledger(database, { passphrase: testPassphrase, clock: () => now, resolution: 1000 })
    ledger.pendingAccount(ledger.root.publicKey())
    now += 60_400
    expect(ledger.close().closedAt).toBe(1_900_000_060_000)
    now += 10_000
    ledger.submit(fromRoot(ledger, [operation(data('a', 'b'))]))
    now += 10_000
    expect(ledger.close().closedAt).toBe(1_900_000_070_000)
    database.close()
  })
})
