import { downloadRecords, type ExportName } from '@windlass/contracts/platform/exports.ts'
import { idOf, servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import { Readable } from 'node:stream'
import { bookedBefore, bookingsOf } from '../../bank-files/bookings.ts'
import { removedText } from '../../people/retention/rules.ts'
import type { Deps } from '../../deps.ts'
import { requireDay } from '../../paging.ts'
import { unitOf, type Balance } from '../../money/journal/journal.ts'
import { closedUntil } from '../../money/journal/closes.ts'
import { journalDay } from '../../money/journal/settings.ts'
import { balancesOf, earnedIn, entriesOf, type Period } from '../../money/journal/periods.ts'
import { countOpen, countResolvedThere } from '../reconciliation/store.ts'
import { quickBooksBank, xeroBank } from './accounting.ts'
import { brokerCsv, carfCsv, customerStatement, type Reader } from './customers.ts'
import { accountingFile, codesOf } from './books.ts'
import { feesCsv, journalCsv, journalJson } from './formats.ts'
import { type Booking, camt053, movedBy, ofx, type RailStatement } from './rail-statement.ts'
import { incomeCsv, volumesCsv } from './reports.ts'
import { statementPdf } from './statement-pdf.ts'

const DAY_MS = 86_400_000
const MOST_DAYS = 400
/** What a transaction that began before adds afterwards. */
const SETTLED_MS = 5_000

interface Asked {
  from: string
  to: string
  rail?: string
  currency?: string
  customer?: string
}

export function serveExports(on: On, deps: Deps): void {
  on(downloadRecords).serve(async ({ params: { name }, query, reply, principal }) => {
    const reader = { isPerson: principal.keyId === 'platform' }
    const made = await contentOf(deps, name, query, reader)
    const { subdomain } = deps.config.anchor.plan
    const file = [subdomain, query.rail, query.from, query.to, name]
      .filter(part => part !== undefined)
      .join('-')
      .replaceAll(/[^\w.-]/g, '_')
    void reply
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${file}"`)
      .header('cache-control', 'no-store')
    return Readable.from(made)
  })
}

type Content = AsyncIterable<string | Buffer> | Buffer[]

async function contentOf(deps: Deps, name: ExportName, asked: Asked, reader: Reader): Promise<Content> {
  const period = periodOf(deps, asked)
  const { db } = deps.database
  switch (name) {
    case 'journal.csv':
      return journalCsv(entriesOf(db, period))
    case 'journal.json':
      return journalJson(entriesOf(db, period))
    case 'fees.csv':
      return feesCsv(await earnedIn(db, period), codeIn(deps))
    case 'statement.pdf':
      return [await printed(deps, period, asked)]
    case 'datev.csv':
    case 'xero-journal.csv':
    case 'quickbooks-journal.csv':
      return accountingFile(deps, name, period, asked.currency)
    case 'income.csv':
      return incomeCsv(deps, period, { codes: await codesOf(deps), codeOf: codeIn(deps) })
    case 'volumes.csv':
      return volumesCsv(deps, period, codeIn(deps))
    case 'customer.csv':
      return customerStatement(deps, period, asked.customer, codeIn(deps))
    case 'carf.csv':
      return carfCsv(deps, period, codeIn(deps), reader)
    case '1099-da.csv':
      return brokerCsv(deps, period, codeIn(deps), reader)
    default: {
      const { statement, bookings } = await railStatement(deps, period, asked)
      if (name === 'xero-bank.csv') return xeroBank(bookings)
      if (name === 'quickbooks-bank.csv') return quickBooksBank(bookings)
      return name === 'rail.ofx' ? ofx(statement, bookings) : camt053(statement, bookings)
    }
  }
}

/** Throws `validation-failed`. */
function periodOf({ clock }: Deps, { from, to }: Asked): Period {
  const days = (Date.parse(requireDay('to', to)) - Date.parse(requireDay('from', from))) / DAY_MS
  if (days < 0) throw invalid('to', 'must not be before from')
  if (days >= MOST_DAYS) throw invalid('to', `must be at most ${MOST_DAYS} days after from`)
  return { from, to, before: new Date(clock.now().getTime() - SETTLED_MS) }
}

/** A unit of the journal as people read it. Assets that share a code have their issuer too. */
const codeIn =
  ({ config: { anchor } }: Deps) =>
  (unit: string): string => {
    const assets = servedAssets(anchor)
    const asset = assets.find(({ key }) => unitOf(key) === unit)
    if (!asset) return unit
    return assets.filter(({ code }) => code === asset.code).length > 1 ? idOf(asset) : asset.code
  }

const amountIn = (balances: readonly Balance[], account: string, unit: string): Amount =>
  parseAmount(balances.find(each => each.account === account && each.unit === unit)?.amount ?? '0')

/** What the bank booked where the rail has statements of a bank, else what the journal has of the rail. */
async function railStatement(
  deps: Deps,
  period: Period,
  { rail: name, from, to }: Asked,
): Promise<{ statement: RailStatement; bookings: AsyncIterable<Booking> }> {
  if (!name) throw invalid('rail', 'is needed for a statement of a rail')
  const rail = deps.rails.get(name)
  if (!rail) throw new Problem('not-found', 'There is no rail of this name.')
  const { db } = deps.database
  const { currency, bankAccount } = rail
  const { organizationName } = deps.config.anchor.plan
  const of = {
    ...{ rail: name, currency, holder: bankAccount?.holder ?? organizationName },
    ...{ account: bankAccount?.account ?? name, from, to, at: deps.clock.now() },
  }
  if (bankAccount) {
    const at = (day: string) => bookedBefore(db, bankAccount.account, day)
    const after = new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10)
    const balances = { opening: await at(from), closing: await at(after) }
    return { statement: { ...of, ...balances }, bookings: bookedAt(deps, bankAccount.account, { from, to }) }
  }
  const at = (balances: readonly Balance[]) => amountIn(balances, `rail:${name}`, currency)
  const opening = at(await balancesOf(db, period, 'opening'))
  const closing = at(await balancesOf(db, period, 'closing'))
  return {
    statement: { ...of, opening: amountOf(opening), closing: amountOf(closing) },
    bookings: movedBy(entriesOf(db, period, `rail:${name}`), of),
  }
}

async function* bookedAt(deps: Deps, account: string, days: { from: string; to: string }) {
  for await (const { line, details } of bookingsOf(deps, account, days)) {
    const { text, name, account: own, bank } = details
    const amount = parseAmount(line.amount)
    yield {
      ...{ id: line.id, on: line.booked_on, kind: line.state, transactionId: line.transfer_id },
      amount: amountOf(line.direction === 'in' ? amount : -amount),
      bank: {
        ...{ reference: line.bank_reference, party: { name, account: own, bank } },
        text: line.removed_at ? removedText(line.removed_at) : text,
      },
    }
  }
}

async function printed(deps: Deps, period: Period, { from, to }: Asked): Promise<Buffer> {
  const { db } = deps.database
  const { plan } = deps.config.anchor
  return statementPdf({
    ...{ anchor: plan.organizationName, homeDomain: plan.homeDomain, codeOf: codeIn(deps), from, to },
    at: deps.clock.now(),
    opening: await balancesOf(db, period, 'opening'),
    closing: await balancesOf(db, period, 'closing'),
    earned: await earnedIn(db, period),
    openDifferences: await readScalar(db, countOpen),
    resolvedDifferences: await readScalar(db, countResolvedThere),
    state: await stateOf(deps, to),
  })
}

/** Whether figures until a day may still change. */
async function stateOf({ database: { db }, clock }: Deps, to: string) {
  if (to >= (await journalDay(db, clock.now()))) return 'provisional'
  return to <= ((await closedUntil(db)).all ?? '') ? 'closed' : 'not-closed'
}
