import { readText, type Encoding } from './file-content.ts'
import { clean, dayOf, positiveAmount, StatementError, type Chunks, type StatementItem } from './statement.ts'

/** Texts of one transaction, by their names: `NAME`, and with the aggregate that they are in, `PAYEE.NAME`. */
type Fields = Map<string, string>

/** Aggregates within a transaction whose texts are others than its own. */
const within = new Set(['PAYEE', 'BANKACCTTO', 'CCACCTTO', 'CURRENCY', 'ORIGCURRENCY', 'IMAGEDATA'])
const MOST_FIELDS = 200

/**
 * Reads OFX of versions 1 (SGML, QFX too) and 2 (XML): the bookings of bank accounts. What its balance is of does not follow
 * from its bookings, so it is not used. `NAME` may be a description: only `PAYEE` names the payer.
 *
 * @throws {StatementError}
 */
export async function* readOfx(chunks: Chunks, encoding: Encoding = 'utf-8'): AsyncGenerator<StatementItem> {
  let text = ''
  for await (const each of readText(chunks, encoding)) text += each
  if (!/<\/OFX>\s*$/i.test(text)) throw new StatementError('The file is cut off: it has no end of the OFX.')
  let [currency, bookings, statements] = ['', 0, 0]
  let account: Fields | null = null
  let fields: Fields | null = null
  let inside = ''
  for (const [, slash, name = '', value = ''] of text.matchAll(/<(\/?)([A-Za-z0-9._]+)>([^<]*)/g)) {
    const tag = name.toUpperCase()
    const isEnd = slash === '/'
    if (tag === 'STMTRS' || tag === 'CCSTMTRS') {
      if (!isEnd) [currency, statements] = ['', statements + 1]
      // Without an account of its own, the statement says nothing of whose it is.
      if (isEnd && account === null) yield { kind: 'account', account: null, currency }
      if (isEnd) account = null
    }
    if (tag === 'CURDEF' && !isEnd) currency = clean(value).toUpperCase()
    if (tag === 'BANKACCTFROM' || tag === 'CCACCTFROM') {
      if (isEnd && account) yield accountItem(account, currency)
      else account = new Map()
    } else if (account && fields === null && !isEnd && (tag === 'BANKID' || tag === 'ACCTID')) {
      account.set(tag, clean(decoded(value)))
    }
    if (tag === 'BANKTRANLIST' && !isEnd && account === null) {
      yield { kind: 'account', account: null, currency }
      account = new Map()
    }
    if (tag === 'STMTTRNP' && !isEnd) yield { kind: 'no-money', state: 'pending' }
    if (tag === 'STMTTRN') {
      if (fields) yield* bookingOf(fields, currency, bookings)
      fields = isEnd ? null : new Map()
      inside = ''
      if (!isEnd) bookings += 1
    } else if (fields) {
      if (within.has(tag)) inside = isEnd ? '' : `${tag}.`
      else if (!isEnd && clean(value) !== '') fields.set(`${inside}${tag}`, clean(decoded(value)))
      if (fields.size > MOST_FIELDS) throw new StatementError(`Booking ${bookings} has too many elements.`)
    }
  }
  if (statements === 0) throw new StatementError('The file is OFX without a statement of a bank account.')
}

const accountItem = (fields: Fields, currency: string): StatementItem => ({
  ...{ kind: 'account', currency },
  account: [fields.get('BANKID'), fields.get('ACCTID')].filter(Boolean).join('/') || null,
})

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}
const decoded = (text: string): string =>
  text.replaceAll(/&(\w+|#\d{1,7});/g, (whole, name: string) =>
    name.startsWith('#')
      ? String.fromCodePoint(Math.min(Number(name.slice(1)), 0x10ffff))
      : (named[name] ?? whole),
  )

function* bookingOf(fields: Fields, currency: string, number: number): Generator<StatementItem> {
  const where = `Booking ${number}`
  try {
    const money = moneyOf(fields, where)
    if (!money) return
    const [, year = '', month = '', day = ''] =
      /^(\d{4})(\d\d)(\d\d)/.exec(fields.get('DTPOSTED') ?? '') ?? []
    const text = ['NAME', 'PAYEE.NAME', 'MEMO', 'CHECKNUM', 'REFNUM'].flatMap(name => fields.get(name) ?? [])
    yield {
      kind: 'line',
      line: {
        ...{ bookedOn: dayOf(year, month, day, where), ...money },
        currency: (fields.get('CURRENCY.CURSYM') ?? currency).toUpperCase(),
        bankReference: fields.get('FITID') ?? null,
        text: clean(text.join(' ')),
        party: {
          name: fields.get('PAYEE.NAME') ?? null,
          account: fields.get('BANKACCTTO.ACCTID') ?? null,
          bank: fields.get('BANKACCTTO.BANKID') ?? null,
        },
        ...{ returnReason: null, booking: null },
      },
    }
  } catch (error) {
    if (!(error instanceof StatementError)) throw error
    yield { kind: 'unread', error }
  }
}

const cameIn = new Set(['CREDIT', 'DIRECTDEP', 'DEP'])
const wentOut = new Set(['DEBIT', 'DIRECTDEBIT', 'CHECK', 'PAYMENT', 'REPEATPMT'])

/** Null: a notice of 0. A sign that the kind of the transaction contradicts is refused. */
function moneyOf(fields: Fields, where: string): { direction: 'in' | 'out'; amount: string } | null {
  const given = fields.get('TRNAMT') ?? ''
  const [, sign = '', whole, fraction = ''] = /^([+-]?)(\d*)(?:[.,](\d+))?$/.exec(given) ?? []
  const mayBeGroup = given.includes(',') && fraction.length === 3
  if (whole === undefined || mayBeGroup || !/\d/.test(given))
    throw new StatementError(`${where} has no amount: “${given.slice(0, 40)}”.`)
  if (!/[1-9]/.test(given)) return null
  const direction = sign === '-' ? 'out' : 'in'
  const kind = (fields.get('TRNTYPE') ?? '').toUpperCase()
  if (direction === 'in' ? wentOut.has(kind) : cameIn.has(kind))
    throw new StatementError(
      `${where} is a ${kind} of ${given.slice(0, 40)}: its kind and its sign disagree.`,
    )
  return { direction, amount: positiveAmount(`${whole || '0'}.${fraction || '0'}`, where) }
}
