import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { EarnedRow, Period, PeriodEntry } from '../../money/journal/periods.ts'
import { cents } from '../../rails/payment-instructions.ts'

/** A cell that no spreadsheet computes: text that begins like a formula gets an apostrophe; numbers stay numbers. */
function cell(value: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(value)
  const safe = !isNumber && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
const row = (...cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`

export async function* journalCsv(entries: AsyncIterable<PeriodEntry>): AsyncGenerator<string> {
  yield row('at', 'entry', 'kind', 'transaction', 'account', 'unit', 'amount')
  for await (const { at, id, kind, transactionId, lines } of entries)
    for (const { account, unit, amount } of lines)
      yield row(at, id, kind, transactionId ?? '', account, unit, amount)
}

export async function* journalJson(entries: AsyncIterable<PeriodEntry>): AsyncGenerator<string> {
  let before = '['
  for await (const entry of entries) {
    yield `${before}\n${JSON.stringify(entry)}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

export async function* feesCsv(
  rows: readonly EarnedRow[],
  codeOf: (unit: string) => string,
): AsyncGenerator<string> {
  yield row('day', 'rail', 'direction', 'transactions', 'fees', 'rounding', 'unit')
  for (const { day, rail, direction, transactions, unit, fees, rounding } of rows)
    yield row(day, rail, direction, String(transactions), fees, rounding, codeOf(unit))
}

/** Money at a rail in a period. */
export interface RailStatement {
  rail: string
  account: string
  currency: string
  holder: string
  period: Period
  opening: Amount
  closing: Amount
  at: Date
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const absolute = (amount: Amount): string => cents(formatAmount(amountOf(amount < 0n ? -amount : amount)))
const sideOf = (amount: Amount): string => (amount < 0n ? 'DBIT' : 'CRDT')
const lastDay = ({ to }: Period): string => new Date(to.getTime() - 1).toISOString().slice(0, 10)

/** What an entry moved at the rail. */
function movedBy({ lines }: PeriodEntry, { rail, currency }: RailStatement): Amount {
  const own = lines.filter(({ account, unit }) => account === `rail:${rail}` && unit === currency)
  return amountOf(own.reduce((sum, { amount }) => sum + parseAmount(amount), 0n))
}

/** ISO 20022 camt.053.001.08: opening and closing balance, then each entry. */
export async function* camt053(
  statement: RailStatement,
  entries: AsyncIterable<PeriodEntry>,
): AsyncGenerator<string> {
  const { account, currency, holder, period, opening, closing, at } = statement
  const time = `${at.toISOString().slice(0, 19)}Z`
  const day = (date: Date) => date.toISOString().slice(0, 10)
  const id = `${statement.rail}-${day(period.from)}-${lastDay(period)}`
    .replaceAll(/[^A-Za-z0-9-]/g, '')
    .slice(0, 35)
  const balance = (code: string, amount: Amount, date: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${absolute(amount)}</Amt>` +
    `<CdtDbtInd>${sideOf(amount)}</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`
  yield (
    '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">' +
    `<BkToCstmrStmt><GrpHdr><MsgId>${id}</MsgId><CreDtTm>${time}</CreDtTm></GrpHdr><Stmt><Id>${id}</Id>` +
    `<CreDtTm>${time}</CreDtTm><FrToDt><FrDtTm>${period.from.toISOString()}</FrDtTm><ToDtTm>${new Date(period.to.getTime() - 1).toISOString()}</ToDtTm></FrToDt>` +
    `<Acct><Id><Othr><Id>${escaped(account.slice(0, 34))}</Id></Othr></Id><Ccy>${currency}</Ccy><Ownr><Nm>${escaped(holder.slice(0, 140))}</Nm></Ownr></Acct>` +
    balance('OPBD', opening, day(period.from)) +
    balance('CLBD', closing, lastDay(period))
  )
  for await (const entry of entries) {
    const moved = movedBy(entry, statement)
    if (moved === 0n) continue
    yield (
      `<Ntry><NtryRef>${entry.id.replaceAll('-', '')}</NtryRef><Amt Ccy="${currency}">${absolute(moved)}</Amt>` +
      `<CdtDbtInd>${sideOf(moved)}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><DtTm>${entry.at}</DtTm></BookgDt>` +
      `<BkTxCd><Prtry><Cd>${escaped(entry.kind.slice(0, 35))}</Cd></Prtry></BkTxCd>` +
      (entry.transactionId ? `<AddtlNtryInf>${entry.transactionId}</AddtlNtryInf>` : '') +
      '</Ntry>'
    )
  }
  yield '</Stmt></BkToCstmrStmt></Document>\n'
}

const ofxTime = (date: Date | string): string =>
  new Date(date).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')

/** OFX 2.2, a bank statement. */
export async function* ofx(
  statement: RailStatement,
  entries: AsyncIterable<PeriodEntry>,
): AsyncGenerator<string> {
  const { rail, account, currency, period, closing, at } = statement
  const status = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>'
  const decimal = (amount: Amount) => `${amount < 0n ? '-' : ''}${absolute(amount)}`
  yield (
    '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n' +
    `<OFX><SIGNONMSGSRSV1><SONRS>${status}<DTSERVER>${ofxTime(at)}</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>` +
    `<BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID>${status}<STMTRS><CURDEF>${currency}</CURDEF>` +
    `<BANKACCTFROM><BANKID>${escaped(rail.slice(0, 9))}</BANKID><ACCTID>${escaped(account.slice(0, 22))}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>` +
    `<BANKTRANLIST><DTSTART>${ofxTime(period.from)}</DTSTART><DTEND>${ofxTime(period.to)}</DTEND>`
  )
  for await (const entry of entries) {
    const moved = movedBy(entry, statement)
    if (moved === 0n) continue
    yield (
      `<STMTTRN><TRNTYPE>${moved < 0n ? 'DEBIT' : 'CREDIT'}</TRNTYPE><DTPOSTED>${ofxTime(entry.at)}</DTPOSTED>` +
      `<TRNAMT>${decimal(moved)}</TRNAMT><FITID>${entry.id}</FITID><NAME>${escaped(entry.kind.slice(0, 32))}</NAME>` +
      (entry.transactionId ? `<MEMO>${entry.transactionId}</MEMO>` : '') +
      '</STMTTRN>'
    )
  }
  yield `</BANKTRANLIST><LEDGERBAL><BALAMT>${decimal(closing)}</BALAMT><DTASOF>${ofxTime(period.to)}</DTASOF></LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`
}
