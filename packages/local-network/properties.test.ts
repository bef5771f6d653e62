import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { xdr, type Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Account } from './ledger/entries.ts'
import type { Incoming } from './ledger/envelope.ts'
import { totalCoins } from './ledger/header.ts'
import { Ledger } from './ledger/ledger.ts'
import { baseFee } from './ledger/entries.ts'
import { chargedFee, feeOf } from './ledger/validity.ts'
import { testPassphrase } from './local-network.ts'
import { integer, text } from './store/columns.ts'
import { openDatabase, type Database } from './store/database.ts'
import { creditNames, credits, people, step, type Step } from './testing/histories.ts'
import { createAccount, operation, options, pay, signatureOf, trust } from './testing/laboratory.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-network-properties-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let runs = 0
it('whatever is submitted, money is conserved, sequences only rise, replays and failures change nothing', () => {
  const seen = { succeeded: 0, failed: 0, rejected: 0, replayed: 0 }
  fc.assert(
    fc.property(fc.array(step, { minLength: 60, maxLength: 80, size: 'max' }), steps => {
      const world = new World(join(folder, String(++runs)))
      try {
        world.fund()
        for (const each of steps) world.take(each)
        world.take({ act: 'restart' })
      } finally {
        world.database.close()
      }
      for (const [name, count] of Object.entries(world.seen)) seen[name as keyof typeof seen] += count
    }),
    { numRuns: 12 },
  )
  // The steps reach every fate; else the property would say little.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
}, 60_000)

/** Whose asset an operation gives out, and who gets some back; a clawback gives it back to the issuer. */
const giver = (record: Record<string, string>) =>
  record['type'] === 'payment'
    ? record['from']
    : record['type'] === 'create_claimable_balance'
      ? record['source_account']
      : ''
const taker = (record: Record<string, string>) => {
  if (record['type'] === 'payment') return record['to']
  if (record['type'] === 'claim_claimable_balance') return record['claimant']
  return record['type']?.startsWith('clawback') ? record['source_account'] : ''
}

class World {
  readonly seen = { succeeded: 0, failed: 0, rejected: 0, replayed: 0 }
  readonly #folder: string
  readonly #submitted: Incoming[] = []
  #now = 1_800_000_000_000
  #highest = new Map<string, bigint>()
  database: Database
  ledger: Ledger

  constructor(folder: string) {
    this.#folder = folder
    this.database = openDatabase(folder)
    this.ledger = this.#open()
  }

  #open(): Ledger {
    return new Ledger(this.database, {
      passphrase: testPassphrase,
      clock: () => (this.#now += 10),
      resolution: 1000,
    })
  }

  /** Four people with fifty lumens each; the first two issue, the others hold some of what they issue. */
  fund(): void {
    const { root } = this.ledger
    const [first, second, ...holders] = people.slice(0, 4)
    if (!first || !second) throw new Error('two issuers')
    const made = people.slice(0, 4).map(key => operation(createAccount(key, 500_000_000n)))
    this.#must(this.#sign(root, made, [root], 400, 1n))
    const clawbackToo = operation(options({ setFlags: 2 | 8 }))
    const lines = holders.flatMap(key =>
      credits.flatMap(({ asset, issuer }) => [
        operation(trust(asset, 10n ** 15n), key),
        operation(pay(key, asset, 1_000n), issuer),
      ]),
    )
    const next = (this.ledger.pendingAccount(first.publicKey())?.sequence ?? 0n) + 1n
    this.#must(this.#sign(first, [clawbackToo, ...lines], people.slice(0, 4), 100 * (lines.length + 1), next))
    this.#close()
  }

  #must(incoming: Incoming): void {
    const outcome = this.ledger.submit(incoming)
    expect(outcome).toMatchObject({ status: 'pending', successful: true })
  }

  take(step: Step): void {
    if (step.act === 'close') return this.#close()
    if (step.act === 'restart') return this.#restart()
    if (step.act === 'replay') return this.#replay(step.which)
    this.#submit(step)
  }

  #submit({ source, made, forgetful, feeEach, skip, payer }: Extract<Step, { act: 'submit' }>): void {
    const sequence = this.ledger.pendingAccount(source.publicKey())?.sequence ?? 0n
    const balances = this.database.rows('SELECT id FROM claimable_balances').map(row => text(row['id']))
    const operations = made.map(each => operation(each.body(balances), each.source))
    const signers = [...new Set([source, ...made.map(each => each.source)])].filter(
      each => !forgetful.includes(each),
    )
    const fee = feeEach * operations.length
    const incoming = this.#sign(source, operations, signers, fee, sequence + 1n + BigInt(skip), payer)
    const before = this.#view()
    const outcome = this.ledger.submit(incoming)
    if (outcome.status === 'rejected') {
      this.seen.rejected += 1
      expect(this.#view()).toEqual(before)
      return
    }
    if (outcome.status !== 'pending') throw new Error(outcome.status)
    if (!outcome.successful) expect(this.#view()).toEqual(this.#charged(before, incoming))
    this.#submitted.push(incoming)
  }

  #sign(
    source: Keypair,
    operations: readonly xdr.Operation[],
    signers: readonly Keypair[],
    fee: number,
    seqNum: bigint,
    payer?: Keypair,
  ): Incoming {
    const tx = new xdr.Transaction({
      sourceAccount: xdr.MuxedAccount.keyTypeEd25519(source.rawPublicKey()),
      fee,
      seqNum,
      cond: xdr.Preconditions.precondNone(),
      memo: xdr.Memo.memoNone(),
      operations: [...operations],
      ext: xdr.TransactionExt.v0(),
    })
    const wrap = (signatures: xdr.DecoratedSignature[]) => new xdr.TransactionV1Envelope({ tx, signatures })
    const read = (envelope: xdr.TransactionEnvelope) => this.ledger.read(envelope.toXdr('base64'))
    const { hash } = read(xdr.TransactionEnvelope.envelopeTypeTx(wrap([])))
    const inner = wrap(signers.map(signer => signatureOf(signer, hash)))
    if (!payer) return read(xdr.TransactionEnvelope.envelopeTypeTx(inner))
    const bump = new xdr.FeeBumpTransaction({
      feeSource: xdr.MuxedAccount.keyTypeEd25519(payer.rawPublicKey()),
      fee: BigInt(fee) * 2n + 100n,
      innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(inner),
      ext: xdr.FeeBumpTransactionExt.v0(),
    })
    const bumped = (signatures: xdr.DecoratedSignature[]) =>
      read(
        xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
          new xdr.FeeBumpTransactionEnvelope({ tx: bump, signatures }),
        ),
      )
    return bumped([signatureOf(payer, bumped([]).hash)])
  }

  #replay(which: number): void {
    const incoming = this.#submitted[which % Math.max(1, this.#submitted.length)]
    if (!incoming) return
    const before = this.#view()
    const outcome = this.ledger.submit(incoming)
    // One that a restart has lost before its close may apply now, for the first time.
    if (outcome.status === 'pending' && !outcome.duplicate) return
    this.seen.replayed += 1
    expect(this.#view()).toEqual(before)
  }

  #close(): void {
    const { closedAt, sequence } = this.ledger.latest
    const closed = this.ledger.close()
    expect(closed.sequence).toBe(sequence + 1)
    expect(closed.closedAt).toBeGreaterThan(closedAt)
    for (const row of this.database.rows(
      'SELECT successful FROM transactions WHERE ledger = ?',
      closed.sequence,
    ))
      this.seen[row['successful'] === 1n ? 'succeeded' : 'failed'] += 1
    this.#expectConserved()
    this.#expectRisen()
  }

  /** What is closed survives; what was not is forgotten, as nobody heard of its success. */
  #restart(): void {
    const stored = this.#stored()
    const { latest } = this.ledger
    this.database.close()
    this.database = openDatabase(this.#folder)
    this.ledger = this.#open()
    expect(this.#stored()).toEqual(stored)
    expect(this.ledger.latest).toEqual({
      ...latest,
      hash: expect.anything(),
      previousHash: expect.anything(),
    })
    expect(Buffer.from(this.ledger.latest.hash).equals(latest.hash)).toBe(true)
  }

  #expectConserved(): void {
    const sum = (sql: string, ...values: string[]) => integer(this.database.row(sql, ...values)?.['sum'])
    const lumens =
      sum('SELECT COALESCE(SUM(balance), 0) AS sum FROM accounts') +
      sum("SELECT COALESCE(SUM(amount), 0) AS sum FROM claimable_balances WHERE asset = 'native'")
    expect(lumens + this.ledger.latest.feePool).toBe(totalCoins)
    const supplies = this.#supplies()
    for (const each of creditNames) {
      const lines = sum('SELECT COALESCE(SUM(balance), 0) AS sum FROM trustlines WHERE asset = ?', each)
      const locked = sum(
        'SELECT COALESCE(SUM(amount), 0) AS sum FROM claimable_balances WHERE asset = ?',
        each,
      )
      expect([each, lines + locked]).toEqual([each, supplies.get(each) ?? 0n])
    }
    for (const row of this.database.rows('SELECT * FROM trustlines')) {
      expect(integer(row['balance'])).toBeGreaterThanOrEqual(0n)
      expect(integer(row['balance'])).toBeLessThanOrEqual(integer(row['line_limit']))
    }
    for (const row of this.database.rows(
      `SELECT id, subentries, sponsoring, balance,
         (SELECT COUNT(*) FROM trustlines t WHERE t.account = a.id) + (SELECT COUNT(*) FROM data d WHERE d.account = a.id) +
         json_array_length(signers) AS entries,
         (SELECT COALESCE(SUM(json_array_length(claimants)), 0) FROM claimable_balances b WHERE b.sponsor = a.id) AS sponsored
       FROM accounts a`,
    )) {
      expect(row['subentries']).toBe(row['entries'])
      expect(row['sponsoring']).toBe(row['sponsored'])
      expect(integer(row['balance'])).toBeGreaterThanOrEqual(0n)
    }
  }

  #expectRisen(): void {
    for (const row of this.database.rows('SELECT id, sequence FROM accounts')) {
      const [id, sequence] = [text(row['id']), integer(row['sequence'])]
      expect(sequence).toBeGreaterThanOrEqual(this.#highest.get(id) ?? 0n)
      this.#highest.set(id, sequence)
    }
  }

  /** Every account as the open ledger has it. */
  #view(): (Account | undefined)[] {
    return people.map(key => this.ledger.pendingAccount(key.publicKey()))
  }

  /** The accounts as a failed transaction leaves them: a fee less, a sequence used. */
  #charged(before: readonly (Account | undefined)[], incoming: Incoming): unknown {
    const { source } = feeOf(incoming)
    const charged = chargedFee(incoming, baseFee)
    return before.map(account => {
      const pays = account?.id === source
      const acts = account?.id === incoming.source
      if (!account || !(pays || acts)) return account
      return {
        ...account,
        ...(pays && { balance: account.balance - charged }),
        ...(acts && {
          sequence: incoming.tx.seqNum,
          sequenceLedger: expect.any(Number),
          sequenceTime: expect.anything(),
        }),
        modified: expect.any(Number),
      }
    })
  }

  /** What issuers have given out and not got back, from the history of operations alone. */
  #supplies(): Map<string, bigint> {
    const supplies = new Map<string, bigint>()
    const balances = new Map<string, { asset: string; amount: bigint }>()
    for (const row of this.database.rows(
      `SELECT o.record, b.balance FROM operations o LEFT JOIN operation_balances b ON b.id = o.id
       WHERE o.successful = 1 ORDER BY o.id`,
    )) {
      const record: Record<string, string> = JSON.parse(text(row['record']))
      const locked = balances.get(String(row['balance']))
      const of = record['asset'] ?? locked?.asset ?? `${record['asset_code']}:${record['asset_issuer']}`
      const much = record['amount'] ? BigInt(record['amount'].replace('.', '')) : (locked?.amount ?? 0n)
      if (record['type'] === 'create_claimable_balance')
        balances.set(String(row['balance']), { asset: of, amount: much })
      const issuer = of.split(':')[1]
      const given = giver(record) === issuer ? much : 0n
      const back = taker(record) === issuer ? much : 0n
      supplies.set(of, (supplies.get(of) ?? 0n) + given - back)
    }
    return supplies
  }

  #stored(): unknown {
    return [
      'accounts',
      'trustlines',
      'data',
      'claimable_balances',
      'signers',
      'claimants',
      'ledgers',
      'transactions',
      'operations',
    ].map(table => this.database.rows(`SELECT * FROM ${table}`).map(row => ({ ...row })))
  }
}
