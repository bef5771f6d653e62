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
import { effectRecords } from './horizon/effect-pages.ts'
import {
  accountOf,
  claimableBalanceOf,
  dataEntryOf,
  offerOf,
  poolOf,
  trustLineOf,
} from './store/entry-rows.ts'
import { liabilitiesOf } from './operations/exchange.ts'
import { ownerOf, reservesOf } from './operations/reserves.ts'
import { creditNames, credits, offer, people, pool, step, type Step } from './testing/histories.ts'
import { createAccount, native, operation, options, pay, signatureOf, trust } from './testing/laboratory.ts'

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
    { numRuns: 10 },
  )
  // The steps reach every fate; else the property would say little.
  for (const [fate, count] of Object.entries(seen)) expect(count, fate).toBeGreaterThan(20)
})

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

const ratio = (n: number, d: number) => new xdr.Price({ n, d })
type Add = (asset: string, amount: bigint) => void
const stroops = (amount = '0') => BigInt(amount.replace('.', ''))

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
      // An account has several transactions in a ledger, so that more of them meet.
      protocol: 19,
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
    // Each issuer gives its asset out and takes it back for lumens, so that offers and paths find a market.
    const markets = credits.flatMap(({ asset, issuer }) => [
      operation(
        offer('sell', { selling: asset, buying: native, amount: 100_000n, price: ratio(1, 2) }),
        issuer,
      ),
      operation(
        offer('sell', { selling: native, buying: asset, amount: 100_000n, price: ratio(3, 1) }),
        issuer,
      ),
    ])
    // A pool of lumens and each asset, which both holders have shares of.
    const pools = holders.flatMap(key =>
      credits.flatMap(({ asset }) => [
        operation(pool.line(native, asset, 10n ** 12n), key),
        operation(pool.deposit(native, asset, 300n, 200n), key),
      ]),
    )
    const next = (this.ledger.pendingAccount(first.publicKey())?.sequence ?? 0n) + 1n
    const all = [clawbackToo, ...lines, ...markets, ...pools]
    this.#must(this.#sign(first, all, people.slice(0, 4), 100 * all.length, next))
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
    const offers = this.database
      .rows('SELECT id, seller FROM offers')
      .map(row => ({ id: integer(row['id']), seller: text(row['seller']) }))
    const operations = made.map(each => operation(each.body({ balances, offers }), each.source))
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

  /** What is closed survives; what was not is forgotten, as nobody received its success. */
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
      sum("SELECT COALESCE(SUM(amount), 0) AS sum FROM claimable_balances WHERE asset = 'native'") +
      this.#pooled('native')
    expect(lumens + this.ledger.latest.feePool).toBe(totalCoins)
    const supplies = this.#supplies()
    for (const each of creditNames) {
      const lines = sum('SELECT COALESCE(SUM(balance), 0) AS sum FROM trustlines WHERE asset = ?', each)
      const locked = sum(
        'SELECT COALESCE(SUM(amount), 0) AS sum FROM claimable_balances WHERE asset = ?',
        each,
      )
      expect([each, lines + locked + this.#pooled(each)]).toEqual([each, supplies.get(each) ?? 0n])
    }
    this.#expectBound()
    this.#expectReserved()
  }

  /** What pools hold of an asset. */
  #pooled(asset: string): bigint {
    return this.database
      .rows('SELECT * FROM liquidity_pools')
      .map(poolOf)
      .reduce((held, { lines, assetA, assetB, reserveA, reserveB }) => {
        expect(lines).toBeGreaterThan(0)
        return held + (assetA === asset ? reserveA : assetB === asset ? reserveB : 0n)
      }, 0n)
  }

  /** Offers bind exactly what accounts and lines say, and what is bound is there. */
  #expectBound(): void {
    const none = { buying: 0n, selling: 0n }
    const bound = new Map<string, typeof none>()
    const bind = (holder: string, asset: string, side: 'buying' | 'selling', amount: bigint) => {
      const known = bound.get(`${holder} ${asset}`) ?? none
      bound.set(`${holder} ${asset}`, { ...known, [side]: known[side] + amount })
    }
    for (const offer of this.database.rows('SELECT * FROM offers').map(offerOf)) {
      expect(offer.amount).toBeGreaterThan(0n)
      const { buying, selling } = liabilitiesOf(offer)
      bind(offer.seller, offer.buying, 'buying', buying)
      bind(offer.seller, offer.selling, 'selling', selling)
    }
    for (const { id, balance, buying, selling } of this.#accounts()) {
      expect({ buying, selling }).toEqual(bound.get(`${id} native`) ?? none)
      expect(balance).toBeGreaterThanOrEqual(selling)
    }
    for (const line of this.database.rows('SELECT * FROM trustlines').map(trustLineOf)) {
      const { account, asset, balance, limit, buying, selling } = line
      expect({ buying, selling }).toEqual(bound.get(`${account} ${asset}`) ?? none)
      expect(balance).toBeGreaterThanOrEqual(selling)
      expect(balance + buying).toBeLessThanOrEqual(limit)
    }
  }

  #accounts(): Account[] {
    return this.database.rows('SELECT * FROM accounts').map(accountOf)
  }

  /** Every reserve is counted where it is paid and where it is owed. */
  #expectReserved(): void {
    const counts = { sponsoring: new Map<string, number>(), sponsored: new Map<string, number>() }
    const subentries = new Map<string, number>()
    const add = (to: Map<string, number>, key: string, count: number) =>
      to.set(key, (to.get(key) ?? 0) + count)
    const pay = (sponsor: string | null, owner: string | undefined, count: number) => {
      if (sponsor === null) return
      add(counts.sponsoring, sponsor, count)
      if (owner !== undefined) add(counts.sponsored, owner, count)
    }
    for (const { id, signers, sponsor } of this.#accounts()) {
      pay(sponsor, id, 2)
      for (const signer of signers) pay(signer.sponsor ?? null, id, 1)
      add(subentries, id, signers.length)
    }
    for (const entry of [
      ...this.database.rows('SELECT * FROM trustlines').map(trustLineOf),
      ...this.database.rows('SELECT * FROM offers').map(offerOf),
      ...this.database.rows('SELECT * FROM data').map(dataEntryOf),
    ]) {
      const owner = ownerOf(entry) ?? ''
      add(subentries, owner, reservesOf(entry))
      pay(entry.sponsor, owner, reservesOf(entry))
    }
    for (const balance of this.database.rows('SELECT * FROM claimable_balances').map(claimableBalanceOf))
      pay(balance.sponsor, undefined, balance.claimants.length)
    for (const account of this.#accounts())
      expect(account).toMatchObject({
        subentries: subentries.get(account.id) ?? 0,
        sponsoring: counts.sponsoring.get(account.id) ?? 0,
        sponsored: counts.sponsored.get(account.id) ?? 0,
      })
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
    const add: Add = (asset, amount) => supplies.set(asset, (supplies.get(asset) ?? 0n) + amount)
    const redeemed = this.#redeemed().flatMap(({ claimable_balance_id: id, asset, amount }) =>
      id === undefined ? [] : [[id, { asset, amount: stroops(amount) }] as const],
    )
    const balances = new Map<string, { asset: string; amount: bigint }>(redeemed)
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
      add(of, (giver(record) === issuer ? much : 0n) - (taker(record) === issuer ? much : 0n))
      if (!record['type']?.startsWith('path_payment')) continue
      const spent = `${record['source_asset_code']}:${record['source_asset_issuer']}`
      if (record['from'] === record['source_asset_issuer']) add(spent, stroops(record['source_amount']))
      if (record['to'] === issuer) add(of, -much)
    }
    this.#addTrades(add)
    this.#addPools(add)
    return supplies
  }

  /** Trades with an issuer issue and redeem too; on a path, the one who pays merely passes things on. */
  #addTrades(add: Add): void {
    for (const row of this.database.rows(
      'SELECT t.*, o.record FROM trades t JOIN operations o ON o.id = t.id',
    )) {
      const passed = text(row['record']).includes('"type":"path_payment')
      const seller = row['base_is_seller'] === 1n ? 'base' : 'counter'
      for (const [side, other] of [
        ['base', 'counter'],
        ['counter', 'base'],
      ] as const) {
        if (passed && side !== seller) continue
        const account = row[`${side}_account`]
        const [gives, takes] = [text(row[`${side}_asset`]), text(row[`${other}_asset`])]
        if (gives.split(':')[1] === account) add(gives, integer(row[`${side}_amount`]))
        if (takes.split(':')[1] === account) add(takes, -integer(row[`${other}_amount`]))
      }
    }
  }

  /** An issuer pays into a pool what it issues, and what it gets out is gone, also when it is made to leave. */
  #addPools(add: Add): void {
    for (const row of this.database.rows(
      `SELECT record FROM operations WHERE successful = 1 AND record LIKE '%"type":"liquidity_pool_%'`,
    )) {
      const record = JSON.parse(text(row['record']))
      const sign = record.type === 'liquidity_pool_deposit' ? 1n : -1n
      for (const { asset, amount } of record.reserves_deposited ?? record.reserves_received)
        if (asset.split(':')[1] === record.source_account) add(asset, sign * stroops(amount))
    }
    for (const { claimable_balance_id: id, asset, amount } of this.#redeemed())
      if (id === undefined) add(asset, -stroops(amount))
  }

  #redeemed(): { asset: string; amount: string; claimable_balance_id?: string }[] {
    const page = { cursor: '', order: 'asc' as const, limit: 100_000 }
    return effectRecords(this.database, {}, page, { elder: 1 }, '').flatMap(effect =>
      'reserves_revoked' in effect && Array.isArray(effect.reserves_revoked) ? effect.reserves_revoked : [],
    )
  }

  #stored(): unknown {
    return [
      'accounts',
      'trustlines',
      'data',
      'claimable_balances',
      'signers',
      'claimants',
      'offers',
      'liquidity_pools',
      'trades',
      'ledgers',
      'transactions',
      'operations',
    ].map(table => this.database.rows(`SELECT * FROM ${table}`).map(row => ({ ...row })))
  }
}
