import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { apiKeyScopes, defaultScopes, type Principals } from '@windlass/contracts/realm.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { randomUUID } from 'node:crypto'
import { buildApp } from '../app.ts'
import { matchLines } from '../bank-files/match.ts'
import type { Config } from '../config.ts'
import { closeDeps, createDeps, type Deps } from '../deps.ts'
import { sendOrders } from '../payments/rail-orders.ts'
import { readRailSettings } from '../rails/settings.ts'
import type { Transfer } from '../tables.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { asPlatform, proveInjected } from './as-platform.ts'
import { type BusinessApp, startBusinessApp } from './business-app.ts'
import { receiveUnits } from './receive-units.ts'
import { reportedBy } from './reported-by.ts'

export const IBAN = 'DE89370400440532013000'
const credentials = {
  SEPA: { provider: 'bank-file', iban: IBAN, bic: 'COBADEFFXXX', accountHolder: 'Mumbai Pay GmbH' },
  ACH: {
    ...{
      provider: 'bank-file',
      accountNumber: '12345678',
      routingNumber: '021000021',
      companyId: '1234567890',
    },
    accountHolder: 'Mumbai Pay Inc',
  },
  NEFT: {
    provider: 'bank-file',
    accountNumber: '50100012345678',
    ifsc: 'HDFC0001234',
    accountHolder: 'Mumbai Pay',
  },
}

/**
 * A business server whose rails SEPA, ACH and NEFT are bank files. No workers run. The key `default` has no scope that moves
 * money, any other has all.
 */
export class BankAnchor {
  readonly app: BusinessApp
  readonly wallet = generateKey().publicKey

  private constructor(app: BusinessApp) {
    this.app = app
  }

  /**
   * With `beside`, a further server on the database of that one; `release` closes it.
   *
   * @param over replaces credentials of a rail
   */
  static async start(beside?: BankAnchor, over: Record<string, object> = {}): Promise<BankAnchor> {
    if (beside) {
      const { config, horizon, keys, customerRegistry } = beside.deps
      const { deps, server } = await startServer(config, { horizon, keys, customerRegistry })
      return new BankAnchor({ ...beside.app, deps, server })
    }
    const ledger: UnreliableNetwork = new UnreliableNetwork({
      asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
    })
    const settings = { rails: Object.keys(credentials), mainnet: false, fallbackSecret: 'r'.repeat(32) }
    const rails = readRailSettings(
      { RAIL_CREDENTIALS: JSON.stringify({ ...credentials, ...over }) },
      settings,
    )
    const key: Principals['developer'] = {
      anchorId: 'mumbai00000000000000',
      keyId: 'k1',
      scopes: apiKeyScopes,
    }
    const keys = {
      verify: async (given: string) => ({
        ...key,
        ...(given === 'default' ? { scopes: defaultScopes } : {}),
      }),
    }
    const fx = { INR: '88.50', EUR: '0.92', USD: '1' }
    const app: BusinessApp = await startBusinessApp({ horizon: ledger, keys }, { rails, fx })
    app.deps.config.anchor.plan.rails.splice(0, 2, ...Object.keys(credentials))
    const known = { customerId: 'cus_1', status: 'ACCEPTED' as const, walletVerified: true }
    app.deps.customerRegistry.byWallet = async () => known
    app.deps.customerRegistry.emailsTo = async () => []
    return new BankAnchor(app)
  }

  get deps() {
    return this.app.deps
  }

  async release(): Promise<void> {
    await this.app.server.close()
    await closeDeps(this.deps)
  }

  sendOrders(): Promise<void> {
    return sendOrders(this.deps)
  }

  close(): Promise<void> {
    return this.app.close()
  }

  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.deps.database.pool.query<Row>(text, values)).rows
  }

  /** A deposit that waits for its money. */
  async deposit(type = 'sepa', amount = '20'): Promise<{ id: string; reference: string; money: string }> {
    const { id } = await acceptTransaction(this.deps, this.transaction({ type, amount_expected: { amount } }))
    const { reference, fiat_amount } = await confirm(this.deps, id)
    return { id, reference: reference ?? '', money: Number(fiat_amount).toFixed(2) }
  }

  /**
   * A withdrawal whose units came, so that its payout waits for a bank file.
   *
   * @param before what happens after it is agreed, before the units come
   * @param cameAt when they come
   */
  async withdrawal(
    type: string,
    fields: Record<string, string>,
    before?: () => Promise<unknown>,
    cameAt: Date = new Date(),
  ): Promise<{ id: string; code: string; money: string }> {
    const given = this.transaction({ kind: 'withdrawal', type, fields })
    const { id } = await acceptTransaction(this.deps, given)
    const agreed = await confirm(this.deps, id)
    await before?.()
    await receiveUnits(this.deps, agreed, { sender: this.wallet, closedAt: cameAt })
    await sendOrders(this.deps)
    const [payout] = await this.rows<{ code: string; amount: string }>(
      'select code, amount from bank_payouts where transfer_id = $1',
      [id],
    )
    return { id, code: payout?.code ?? '', money: Number(payout?.amount).toFixed(2) }
  }

  transaction(over: Partial<PlatformTransaction>): PlatformTransaction {
    return reportedBy(this.wallet, over)
  }

  async state(id: string): Promise<Transfer['state'] | undefined> {
    return (await findTransfer(this.deps.database.db, id))?.state
  }

  upload(rail: string, fileName: string, payload: string | Buffer, query: Record<string, string> = {}) {
    return this.app.server.app.inject({
      method: 'POST',
      url: `/api/v1/rails/${rail}/statements?${new URLSearchParams({ fileName, ...query })}`,
      headers: { authorization: 'Bearer key', 'content-type': 'application/octet-stream' },
      payload,
    })
  }

  /** Uploads a statement and matches its lines. */
  async read(rail: string, fileName: string, payload: string | Buffer) {
    const answer = await this.upload(rail, fileName, payload)
    await matchLines(this.deps)
    return answer
  }

  /** As of an account of which nothing was read. */
  async forgetStatements(): Promise<void> {
    await this.rows('truncate bank_statements, bank_lines, journal_entries cascade')
  }

  get(path: string) {
    return this.app.server.app.inject({ url: `/api/v1${path}`, headers: { authorization: 'Bearer key' } })
  }

  /** A request of the keyed API. */
  send(method: 'POST' | 'PUT', path: string, payload: object) {
    const headers = { authorization: 'Bearer key' }
    return this.app.server.app.inject({ method, url: `/api/v1${path}`, headers, payload })
  }

  /** A request of the platform for an operator. */
  asOperator(method: 'POST' | 'PUT', path: string, payload: object = {}, key?: string) {
    const headers = {
      ...asPlatform(this.deps.config.secrets),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    return this.app.server.app.inject({ method, url: `/admin${path}`, headers, payload })
  }

  /** Approves a payout file as someone who has looked at its payments. */
  async approve(id: string, by: string) {
    const seen = (await this.asOperator('POST', `/payout-files/${id}/sheet`)).json<{ sheet?: string }>()
    const payload = { by, sheet: seen.sheet ?? '0'.repeat(64) }
    return this.asOperator('POST', `/payout-files/${id}/approve`, payload)
  }

  /** What the journal has at a bank, less what is to be returned. */
  async balances(): Promise<Record<string, string>> {
    const rows = await this.rows<{ account: string; unit: string; sum: string }>(
      'select account, unit, sum(amount)::text as sum from journal_lines group by 1, 2 having sum(amount) <> 0',
    )
    return Object.fromEntries(
      rows.map(({ account, unit, sum }) => [`${account} ${unit}`, String(Number(sum))]),
    )
  }
}

async function startServer(config: Config, over: Partial<Deps>) {
  const deps = createDeps(config, createLogger('business-server', 'silent'), over)
  return { deps, server: proveInjected(await buildApp(deps), deps) }
}

interface Booking {
  amount: string
  text?: string
  /** Default: in. */
  direction?: 'in' | 'out'
  bankReference?: string
  name?: string
  account?: string
  currency?: string
  endToEndId?: string
  returnReason?: string
  day?: string
}

/** Each statement begins elsewhere in the account's history, so that no two of them can be of the same bookings. */
let statements = 0
const nextOpening = (): number => 1_000 + 10_000 * statements++

/** A camt.053 with these bookings; with a `closing` balance, from one of 1,000. */
export function camt053(
  bookings: readonly Booking[],
  over: { iban?: string; opening?: number; closing?: number; closingDay?: string } = {},
): string {
  const sum = bookings.reduce(
    (all, { amount, direction }) => all + (direction === 'out' ? -1 : 1) * Number(amount),
    0,
  )
  const opening = over.opening ?? (over.closing === undefined ? nextOpening() : 1_000)
  const balance = (code: string, amount: number) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${Math.abs(amount).toFixed(2)}</Amt>` +
    `<CdtDbtInd>${amount < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>` +
    `${code === 'CLBD' && over.closingDay ? `<Dt><Dt>${over.closingDay}</Dt></Dt>` : ''}</Bal>`
  return (
    '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">' +
    `<BkToCstmrStmt><GrpHdr><MsgId>${randomUUID().slice(0, 30)}</MsgId></GrpHdr><Stmt><Id>1</Id>` +
    `<Acct><Id><IBAN>${over.iban ?? IBAN}</IBAN></Id><Ccy>EUR</Ccy></Acct>` +
    balance('OPBD', opening) +
    balance('CLBD', over.closing ?? opening + sum) +
    bookings.map(entry).join('') +
    '</Stmt></BkToCstmrStmt></Document>'
  )
}

function entry(booking: Booking): string {
  const { amount, direction = 'in', currency = 'EUR', day = '2026-11-20' } = booking
  const role = direction === 'in' ? 'Dbtr' : 'Cdtr'
  const mark = direction === 'in' ? 'CRDT' : 'DBIT'
  return (
    `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>` +
    `<BookgDt><Dt>${day}</Dt></BookgDt>` +
    (booking.bankReference ? `<AcctSvcrRef>${booking.bankReference}</AcctSvcrRef>` : '') +
    '<NtryDtls><TxDtls>' +
    (booking.endToEndId ? `<Refs><EndToEndId>${booking.endToEndId}</EndToEndId></Refs>` : '') +
    (booking.name
      ? `<RltdPties><${role}><Pty><Nm>${booking.name}</Nm></Pty></${role}>` +
        (booking.account ? `<${role}Acct><Id><IBAN>${booking.account}</IBAN></Id></${role}Acct>` : '') +
        '</RltdPties>'
      : '') +
    (booking.text ? `<RmtInf><Ustrd>${booking.text}</Ustrd></RmtInf>` : '') +
    (booking.returnReason ? `<RtrInf><Rsn><Cd>${booking.returnReason}</Cd></Rsn></RtrInf>` : '') +
    '</TxDtls></NtryDtls></Ntry>'
  )
}

/** An MT940 that begins with a balance of 1,000. */
export const mt940 = (bookings: string[], closing: string) =>
  [
    ':20:STARTUMS',
    `:25:37040044/0532013000`,
    ':28C:1/1',
    ':60F:C261119EUR1000,00',
    ...bookings,
    `:62F:C261120EUR${closing}`,
    '-',
    '',
  ].join('\r\n')
