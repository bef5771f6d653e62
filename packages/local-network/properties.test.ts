import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { assetName } from './ledger/assets.ts'
import type { Account } from './ledger/entries.ts'
import type { Incoming } from './ledger/envelope.ts'
import { totalCoins } from './ledger/header.ts'
import { Ledger } from './ledger/ledger.ts'
import { feeOf } from './ledger/validity.ts'
import { testPassphrase } from './local-network.ts'
import { integer, text } from './store/columns.ts'
import { openDatabase, type Database } from './store/database.ts'
import {
  claim,
  claimable,
  clawback,
  clawbackBalance,
  createAccount,
  credit,
  data,
  keySigner,
  lineFlags,
  merge,
  native,
  operation,
  options,
  pay,
  signatureOf,
  trust,
  unconditional,
} from './testing/laboratory.ts'

/** Five accounts that pay, issue, revoke, merge and remake one another in every way the rules know. */
const people = Array.from({ length: 5 }, (_, index) =>
  Keypair.fromRawEd25519Seed(Buffer.alloc(32, index + 1)),
)
const person = fc.constantFrom(...people)
const assets = [
  native,
  credit('AAA', people[0] ?? people[1] ?? Keypair.random()),
  credit('LONGER', people[1] ?? Keypair.random()),
]
const assetNames = assets.slice(1).map(each => assetName(each) ?? '')
const asset = fc.constantFrom(...assets)
const amount = fc.oneof(fc.bigInt(1n, 100n), fc.bigInt(1n, 10n ** 12n), fc.constant(2n ** 63n - 1n))
const flag = fc.integer({ min: 0, max: 15 })
const weight = fc.constantFrom(0, 1, 1, 2)

type Step =
  | {
      readonly act: 'submit'
      readonly source: Keypair
      readonly signers: readonly Keypair[]
      readonly bodies: readonly Made[]
      readonly fee: number
      readonly skip: number
      readonly payer: Keypair | undefined
    }
  | { readonly act: 'replay'; readonly which: number }
  | { readonly act: 'close' }
  | { readonly act: 'restart' }

type Made = {
  readonly source: Keypair | undefined
  readonly body: (balances: readonly string[]) => xdr.OperationBody
}
const fixed = (body: xdr.OperationBody) => () => body

const body: fc.Arbitrary<Made['body']> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(person, asset, amount).map(([to, of, much]) => fixed(pay(to, of, much))) },
  fc.tuple(person, amount).map(([to, much]) => fixed(createAccount(to, much))),
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...assets.slice(1)), fc.oneof(fc.constant(0n), amount))
      .map(([of, limit]) => fixed(trust(of, limit))),
  },
  fc.record({ setFlags: flag, clearFlags: flag }).map(flags => fixed(options(flags))),
  fc.record({ setFlags: fc.constantFrom(2, 10, 1) }).map(flags => fixed(options(flags))),
  fc
    .tuple(person, weight)
    .map(([signer, much]) => fixed(options({ signer: { key: keySigner(signer), weight: much } }))),
  fc
    .tuple(person, asset, fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 7 }))
    .map(([who, of, set, clear]) => fixed(lineFlags(who, of, { set, clear: clear & ~set }))),
  fc.tuple(person, asset, amount).map(([from, of, much]) => fixed(clawback(from, of, much))),
  fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', null))
    .map(([name, value]) => fixed(data(name, value))),
  person.map(into => fixed(merge(into))),
  fc
    .bigInt(0n, 2n ** 40n)
    .map(bumpTo => fixed(xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo })))),
  {
    weight: 2,
    arbitrary: fc
      .tuple(asset, amount, person)
      .map(([of, much, claimant]) => fixed(claimable(of, much, [[claimant, unconditional]]))),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(), fc.boolean()).map(([which, back]) => (balances: readonly string[]) => {
      const id = balances[which % Math.max(1, balances.length)] ?? '00'.repeat(36)
      return back ? clawbackBalance(id) : claim(id)
    }),
  },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      act: fc.constant('submit' as const),
      source: person,
      signers: fc.oneof(
        { weight: 8, arbitrary: fc.constant(people) },
        { weight: 1, arbitrary: fc.subarray(people) },
      ),
      bodies: fc.array(fc.record({ source: fc.option(person, { nil: undefined }), body }), {
        minLength: 1,
        maxLength: 4,
      }),
      fee: fc.constantFrom(100, 100, 100, 99, 5000),
      skip: fc.constantFrom(0, 0, 0, 0, 1, -1),
      payer: fc.option(person, { nil: undefined, freq: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('replay' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.constant({ act: 'close' as const }) },
  { weight: 1, arbitrary: fc.constant({ act: 'restart' as const }) },
)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-network-properties-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let runs = 0
it('whatever is submitted, money is conserved, sequences only rise, replays and failures change nothing', () => {
  const seen = { succeeded: 0, failed: 0, rejected: 0, replayed: 0 }
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), steps => {
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
    { numRuns: 60 },
  )
  // The steps reach every fate; else the property would say little.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50)
})

/** Whose asset an operation gives out, and who gets some back; a clawback gives it back to the issuer. */
const giver = (told: Record<string, string>) =>
  told['type'] === 'payment'
    ? told['from']
    : told['type'] === 'create_claimable_balance'
      ? told['source_account']
      : ''
const taker = (told: Record<string, string>) => {
  if (told['type'] === 'payment') return told['to']
  if (told['type'] === 'claim_claimable_balance') return told['claimant']
  return told['type']?.startsWith('clawback') ? told['source_account'] : ''
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

  fund(): void {
    const { root } = this.ledger
    const incoming = this.#sign(
      root,
      people.slice(0, 4).map(key => operation(createAccount(key, 50_000_000n))),
      [root],
      400,
      1n,
    )
    expect(this.ledger.submit(incoming).status).toBe('pending')
    this.#close()
  }

  take(step: Step): void {
    if (step.act === 'close') return this.#close()
    if (step.act === 'restart') return this.#restart()
    if (step.act === 'replay') return this.#replay(step.which)
    this.#submit(step)
  }

  #submit({ source, signers, bodies, fee, skip, payer }: Extract<Step, { act: 'submit' }>): void {
    const sequence = this.ledger.pendingAccount(source.publicKey())?.sequence ?? 0n
    const balances = this.database.rows('SELECT id FROM claimable_balances').map(row => text(row['id']))
    const operations = bodies.map(made => operation(made.body(balances), made.source))
    const needed = this.#needed(source, bodies, signers)
    const incoming = this.#sign(
      source,
      operations,
      needed,
      fee * operations.length,
      sequence + 1n + BigInt(skip),
      payer,
    )
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

  /** Signatures of exactly the accounts that act, so that most transactions get past `tx_bad_auth_extra`. */
  #needed(source: Keypair, bodies: readonly Made[], signers: readonly Keypair[]): Keypair[] {
    const acting = new Set([source, ...bodies.flatMap(made => made.source ?? [])])
    return signers.filter(signer => acting.has(signer))
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

  /** What is closed survives; what was not is forgotten, as nobody was told of its success. */
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
    for (const each of assetNames) {
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
    const { source, charged } = feeOf(incoming)
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

  /** What issuers have given out and not got back, told by the history of operations alone. */
  #supplies(): Map<string, bigint> {
    const supplies = new Map<string, bigint>()
    const balances = new Map<string, { asset: string; amount: bigint }>()
    for (const row of this.database.rows(
      `SELECT o.record, b.balance FROM operations o LEFT JOIN operation_balances b ON b.id = o.id
       WHERE o.successful = 1 ORDER BY o.id`,
    )) {
      const told: Record<string, string> = JSON.parse(text(row['record']))
      const locked = balances.get(String(row['balance']))
      const of = told['asset'] ?? locked?.asset ?? `${told['asset_code']}:${told['asset_issuer']}`
      const much = told['amount'] ? BigInt(told['amount'].replace('.', '')) : (locked?.amount ?? 0n)
      if (told['type'] === 'create_claimable_balance')
        balances.set(String(row['balance']), { asset: of, amount: much })
      const issuer = of.split(':')[1]
      const given = giver(told) === issuer ? much : 0n
      const back = taker(told) === issuer ? much : 0n
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
