import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { EXPORT_MARK } from '../../bank-files/file-content.ts'
import type { PeriodEntry } from '../../money/journal/periods.ts'
import { cents } from '../../rails/payment-instructions.ts'
import { escapeXml } from '../../xml.ts'

/** Money at a rail in a period. */
export interface RailStatement {
  rail: string
  account: string
  currency: string
  holder: string
  /** `YYYY-MM-DD`, both included. */
  from: string
  to: string
  opening: Amount
  closing: Amount
  at: Date
}

/** One movement of money at a rail. */
export interface Booking {
  id: string
  /** `YYYY-MM-DD`, or a moment. */
  on: string
  /** Negative: it left. */
  amount: Amount
  kind: string
  transactionId: string | null
  /** What the bank says; null: it is not from a bank. */
  bank: {
    reference: string | null
    text: string
    party: { name: string | null; account: string | null; bank: string | null }
  } | null
}

/** What entries of the journal moved at a rail whose provider makes no statements. */
export async function* movedBy(
  entries: AsyncIterable<PeriodEntry>,
  { rail, currency }: Pick<RailStatement, 'rail' | 'currency'>,
): AsyncGenerator<Booking> {
  for await (const { id, bookedOn, kind, transactionId, lines } of entries) {
    const own = lines.filter(({ account, unit }) => account === `rail:${rail}` && unit === currency)
    const amount = amountOf(own.reduce((sum, line) => sum + parseAmount(line.amount), 0n))
    if (amount !== 0n) yield { id, on: bookedOn, amount, kind, transactionId, bank: null }
  }
}

const absolute = (amount: Amount): string => cents(formatAmount(amountOf(amount < 0n ? -amount : amount)))
const sideOf = (amount: Amount): string => (amount < 0n ? 'DBIT' : 'CRDT')
const element = (name: string, text: string | null, length: number): string =>
  text ? `<${name}>${escapeXml(text.slice(0, length))}</${name}>` : ''

/** ISO 20022 camt.053.001.08: opening and closing balance, then each booking. */
export async function* camt053(
  statement: RailStatement,
  bookings: AsyncIterable<Booking>,
): AsyncGenerator<string> {
  const { account, currency, holder, from, to, opening, closing, at } = statement
  const time = `${at.toISOString().slice(0, 19)}Z`
  const id = `${statement.rail}-${from}-${to}`.replaceAll(/[^A-Za-z0-9-]/g, '').slice(0, 35)
  const balance = (code: string, amount: Amount, date: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${absolute(amount)}</Amt>` +
    `<CdtDbtInd>${sideOf(amount)}</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`
  yield (
    '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">' +
    `<BkToCstmrStmt><GrpHdr><MsgId>${id}</MsgId><CreDtTm>${time}</CreDtTm><AddtlInf>${EXPORT_MARK}</AddtlInf></GrpHdr>` +
    `<Stmt><Id>${id}</Id><CreDtTm>${time}</CreDtTm>` +
    `<FrToDt><FrDtTm>${from}T00:00:00.000Z</FrDtTm><ToDtTm>${to}T23:59:59.999Z</ToDtTm></FrToDt>` +
    `<Acct>${accountId(account)}<Ccy>${currency}</Ccy><Ownr><Nm>${escapeXml(holder.slice(0, 140))}</Nm></Ownr></Acct>` +
    balance('OPBD', opening, from) +
    balance('CLBD', closing, to)
  )
  for await (const booking of bookings) yield entryOf(booking, currency)
  yield '</Stmt></BkToCstmrStmt></Document>\n'
}

const accountId = (account: string): string =>
  /^[A-Z]{2}\d{2}[A-Za-z0-9]{11,30}$/.test(account)
    ? `<Id><IBAN>${account}</IBAN></Id>`
    : `<Id><Othr>${element('Id', account, 34)}</Othr></Id>`

function entryOf({ id, on, amount, kind, transactionId, bank }: Booking, currency: string): string {
  const day = on.length === 10 ? `<Dt>${on}</Dt>` : `<DtTm>${on}</DtTm>`
  return (
    `<Ntry><NtryRef>${id.replaceAll('-', '')}</NtryRef><Amt Ccy="${currency}">${absolute(amount)}</Amt>` +
    `<CdtDbtInd>${sideOf(amount)}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt>${day}</BookgDt>` +
    element('AcctSvcrRef', bank?.reference ?? null, 35) +
    `<BkTxCd><Prtry>${element('Cd', kind, 35)}</Prtry></BkTxCd>` +
    (bank ? detailsOf(amount, bank) : '') +
    element('AddtlNtryInf', transactionId, 500) +
    '</Ntry>'
  )
}

function detailsOf(amount: Amount, { text, party }: NonNullable<Booking['bank']>): string {
  const role = amount < 0n ? 'Cdtr' : 'Dbtr'
  const name = party.name ? `<${role}><Pty>${element('Nm', party.name, 140)}</Pty></${role}>` : ''
  const account = party.account ? `<${role}Acct>${accountId(party.account)}</${role}Acct>` : ''
  const bic = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(party.bank ?? '') ? party.bank : null
  const bank =
    element('BICFI', bic, 11) ||
    (party.bank ? `<ClrSysMmbId>${element('MmbId', party.bank, 35)}</ClrSysMmbId>` : '')
  const parties = name + account
  const texts = text.match(/.{1,140}/gsu) ?? []
  const details =
    (parties && `<RltdPties>${parties}</RltdPties>`) +
    (bank && `<RltdAgts><${role}Agt><FinInstnId>${bank}</FinInstnId></${role}Agt></RltdAgts>`) +
    (texts.length > 0 ? `<RmtInf>${texts.map(each => element('Ustrd', each, 140)).join('')}</RmtInf>` : '')
  return details && `<NtryDtls><TxDtls>${details}</TxDtls></NtryDtls>`
}

const ofxTime = (date: string): string =>
  date.length === 10 ? date.replaceAll('-', '') : date.slice(0, 19).replaceAll(/[-:T]/g, '')

/** OFX 2.2, a bank statement. */
export async function* ofx(
  statement: RailStatement,
  bookings: AsyncIterable<Booking>,
): AsyncGenerator<string> {
  const { rail, account, currency, from, to, closing, at } = statement
  const status = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>'
  const decimal = (amount: Amount) => `${amount < 0n ? '-' : ''}${absolute(amount)}`
  yield (
    '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n' +
    `<OFX><SIGNONMSGSRSV1><SONRS>${status}<DTSERVER>${ofxTime(at.toISOString())}</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>` +
    `<BANKMSGSRSV1><STMTTRNRS><TRNUID>${EXPORT_MARK}</TRNUID>${status}<STMTRS><CURDEF>${currency}</CURDEF>` +
    `<BANKACCTFROM><BANKID>${escapeXml(rail.slice(0, 9))}</BANKID><ACCTID>${escapeXml(account.slice(0, 22))}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>` +
    `<BANKTRANLIST><DTSTART>${ofxTime(from)}</DTSTART><DTEND>${ofxTime(to)}</DTEND>`
  )
  for await (const { id, on, amount, kind, transactionId, bank } of bookings) {
    const memo = [bank?.text, transactionId].filter(Boolean).join(' ')
    yield (
      `<STMTTRN><TRNTYPE>${amount < 0n ? 'DEBIT' : 'CREDIT'}</TRNTYPE><DTPOSTED>${ofxTime(on)}</DTPOSTED>` +
      `<TRNAMT>${decimal(amount)}</TRNAMT><FITID>${id}</FITID>${element('REFNUM', bank?.reference ?? null, 32)}` +
      `${element('NAME', bank?.party.name ?? kind, 32)}${element('MEMO', memo, 255)}</STMTTRN>`
    )
  }
  yield `</BANKTRANLIST><LEDGERBAL><BALAMT>${decimal(closing)}</BALAMT><DTASOF>${ofxTime(to)}</DTASOF></LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`
}
