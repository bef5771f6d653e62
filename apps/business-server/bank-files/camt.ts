import { SaxesParser } from 'saxes'
import { readText, type Encoding } from './file-content.ts'
import {
  amountOf,
  bookedAmount,
  clean,
  dayOf,
  joinNames,
  StatementError,
  valueDayOf,
  type Chunks,
  type Party,
  type StatementItem,
  type StatementLine,
} from './statement.ts'

/** An element with what is needed of it. */
interface Node {
  name: string
  currency: string | null
  text: string
  children: Node[]
}

/** Elements whose content is read. */
const kept = new Set(['Id', 'StmtPgntn', 'NtfctnPgntn', 'Acct', 'Bal', 'Ntry'])
const statements = new Set(['Stmt', 'Ntfctn'])
const roots = { BkToCstmrStmt: 'camt.053', BkToCstmrDbtCdtNtfctn: 'camt.054' } as const
const MAX_DEPTH = 40
const MAX_TEXT = 4_000
/** Elements of one booking, without its transactions, and of one of those. */
const MAX_NODES = 2_000

/**
 * Reads ISO 20022's camt.053 (statement) or camt.054 (notification), any version, as a stream. Document types are
 * refused, so there are no entities of a file's own.
 *
 * @throws {StatementError}
 */
export async function* readCamt(
  chunks: Chunks,
  format: 'camt.053' | 'camt.054',
  encoding: Encoding = 'utf-8',
): AsyncGenerator<StatementItem> {
  const found: StatementItem[] = []
  const parser = new SaxesParser({ xmlns: true, position: true })
  const open: Node[] = []
  // The message may stand in an envelope.
  let [depth, bookings, root, rootDepth, document] = [0, 0, '', 0, '']
  let booking: Entry | null = null
  let name: { number: string; page: string | null } | null = null
  let balances: StatementItem[] = []
  let nodes = 0
  parser.on('error', ({ message }) => {
    throw new StatementError(`The file is not complete XML: ${message.slice(0, 200)}`)
  })
  parser.on('doctype', () => {
    throw new StatementError('The file has a document type, which statements do not have.')
  })
  parser.on('opentag', ({ local, attributes }) => {
    depth += 1
    if (depth > MAX_DEPTH) throw new StatementError('The file nests its elements too deeply.')
    if (depth <= 2) document = local
    if (rootDepth === 0 && local in roots) [root, rootDepth] = [local, depth]
    const inStatement = rootDepth > 0 && depth === rootDepth + 2 && kept.has(local)
    if (open.length === 0 && !inStatement) {
      if (depth === rootDepth + 1 && statements.has(local)) requireRoot(root, format)
      return
    }
    if (open.length === 0 && local === 'Ntry') {
      bookings += 1
      booking = { number: bookings, transactions: [] }
      nodes = 0
    }
    nodes += 1
    if (nodes > MAX_NODES) throw new StatementError(`Booking ${bookings} has too many elements.`)
    const currency = attributes.Ccy?.value ?? null
    const node: Node = { name: local, currency, text: '', children: [] }
    open.at(-1)?.children.push(node)
    open.push(node)
  })
  const onText = (text: string) => {
    const node = open.at(-1)
    if (!node) return
    node.text += text
    if (node.text.length > MAX_TEXT)
      throw new StatementError(`Booking ${bookings} has a text that is too long.`)
  }
  parser.on('text', onText)
  parser.on('cdata', onText)
  parser.on('closetag', () => {
    if (depth === rootDepth) rootDepth = 0
    depth -= 1
    const node = open.pop()
    if (!node) return
    if (node.name === 'TxDtls' && booking) {
      booking.transactions.push(transactionOf(node))
      // Its elements are not needed any more: a booking may have thousands of transactions.
      open.at(-1)?.children.pop()
      nodes = 0
    }
    if (open.length > 0) return
    if (node.name === 'Id') name = { number: clean(node.text), page: null }
    if (name && (node.name === 'StmtPgntn' || node.name === 'NtfctnPgntn')) name.page = textAt(node, 'PgNb')
    if (node.name === 'Acct') {
      balances = []
      found.push(accountOf(node))
      if (name?.number) found.push({ kind: 'name', ...name })
      name = null
    }
    if (node.name === 'Bal') {
      const read = balanceOf(node)
      balances.push(...read)
      found.push(...read)
    }
    if (node.name === 'Ntry' && booking)
      for (const line of linesOf(node, booking, onlyDayOf(balances))) found.push(line)
    booking = null
  })
  for await (const text of readText(chunks, encoding)) {
    parser.write(text)
    yield* found.splice(0)
  }
  parser.close()
  requireRoot(root || document, format)
  yield* found.splice(0)
}

function requireRoot(root: string, format: string): void {
  if (roots[root as keyof typeof roots] === format) return
  throw new StatementError(`The file is not a ${format}: it has ${root.slice(0, 60) || 'no content'}.`)
}

interface Money {
  amount: string
  currency: string | null
}

interface Transaction {
  /** What came to the account, what was paid, what was ordered: those that the bank names. */
  amounts: Money[]
  direction: string | null
  reference: string | null
  text: string
  dbtr: Party
  cdtr: Party
  returnReason: string | null
}
interface Entry {
  number: number
  transactions: Transaction[]
}

function at(node: Node, path: string): Node | null {
  let found: Node | undefined = node
  for (const name of path.split('/')) found = found?.children.find(child => child.name === name)
  return found ?? null
}
const textAt = (node: Node, ...paths: string[]): string | null => {
  for (const path of paths) {
    const text = clean(at(node, path)?.text ?? '')
    if (text) return text
  }
  return null
}
/** All texts below an element. */
const textsOf = (node: Node | null): string[] =>
  node ? [clean(node.text), ...node.children.flatMap(textsOf)].filter(Boolean) : []

const accountOf = (node: Node): StatementItem => ({
  kind: 'account',
  account: textAt(node, 'Id/IBAN', 'Id/Othr/Id'),
  currency: textAt(node, 'Ccy'),
})

function balanceOf(node: Node): StatementItem[] {
  const code = textAt(node, 'Tp/CdOrPrtry/Cd')
  const at = code === 'OPBD' || code === 'PRCD' ? 'opening' : code === 'CLBD' ? 'closing' : null
  if (at === null) return []
  const amount = amountOf(textAt(node, 'Amt') ?? '', 'A balance')
  const signed = textAt(node, 'CdtDbtInd') === 'DBIT' ? `-${amount}` : amount
  const [day] = /^\d{4}-\d\d-\d\d/.exec(textAt(node, 'Dt/Dt', 'Dt/DtTm') ?? '') ?? []
  const isBetween = textAt(node, 'Tp/SubTp/Cd', 'SubTp/Cd') === 'INTM'
  return [{ kind: 'balance', at, amount: signed, isBetween, ...(day && { day }) }]
}

/** A debtor that the bank does not name is nobody, also where it names the one on whose behalf was paid. */
function partyOf(node: Node, role: 'Dbtr' | 'Cdtr'): Party {
  const [parties, agents] = [`RltdPties/${role}`, `RltdAgts/${role}Agt/FinInstnId`]
  const holder = textAt(node, `${parties}/Pty/Nm`, `${parties}/Nm`, `${parties}/Agt/FinInstnId/Nm`)
  const other = textAt(node, `RltdPties/Ultmt${role}/Pty/Nm`, `RltdPties/Ultmt${role}/Nm`)
  return {
    name: role === 'Cdtr' ? (holder ?? other) : holder && joinNames(holder, other),
    account: textAt(node, `${parties}Acct/Id/IBAN`, `${parties}Acct/Id/Othr/Id`),
    bank: textAt(node, `${agents}/BICFI`, `${agents}/BIC`, `${agents}/ClrSysMmbId/MmbId`),
  }
}

function transactionOf(node: Node): Transaction {
  const amounts = ['Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/InstdAmt/Amt'].flatMap(path => at(node, path) ?? [])
  const returned = at(node, 'RtrInf')
  const texts = ['Refs/EndToEndId', 'Refs/InstrId', 'Refs/PmtInfId', 'Refs/MsgId'].map(path =>
    textAt(node, path),
  )
  const remittance = [...textsOf(at(node, 'RmtInf')), textAt(node, 'AddtlTxInf')]
  return {
    amounts: amounts.map(({ text, currency }) => ({ amount: clean(text), currency })),
    direction: textAt(node, 'CdtDbtInd'),
    reference: textAt(node, 'Refs/AcctSvcrRef'),
    text: clean([...texts, ...remittance].filter(each => each && each !== 'NOTPROVIDED').join(' ')),
    dbtr: partyOf(node, 'Dbtr'),
    cdtr: partyOf(node, 'Cdtr'),
    returnReason:
      returned &&
      (clean(
        [textAt(returned, 'Rsn/Cd', 'Rsn/Prtry'), textAt(returned, 'AddtlInf')].filter(Boolean).join(' '),
      ) ||
        'no reason'),
  }
}

/**
 * A booking's transactions where they come to its amount, else the booking as one line. Only what is booked counts, and
 * only what is money: a notice of 0 is none.
 */
function linesOf(node: Node, entry: Entry, onlyDay: string | null): StatementItem[] {
  const status = textAt(node, 'Sts/Cd', 'Sts/Prtry', 'Sts')
  if (status !== null && status !== 'BOOK') return []
  try {
    return bookedLines(node, entry, onlyDay)
  } catch (error) {
    if (error instanceof StatementError) return [{ kind: 'unread', error }]
    throw error
  }
}

function bookedLines(node: Node, { number, transactions }: Entry, onlyDay: string | null): StatementItem[] {
  const where = `Booking ${number}`
  const amount = at(node, 'Amt')
  const currency = amount?.currency ?? ''
  const total = bookedAmount(clean(amount?.text ?? ''), currency, where)
  if (total === '0') return []
  const direction = directionOf(textAt(node, 'CdtDbtInd'), where)
  const bookedOn = bookedOnOf(node, onlyDay, where)
  const valuedOn = valueDateOf(node)
  const reference = textAt(node, 'AcctSvcrRef')
  const batch = at(node, 'NtryDtls/Btch')
  const shared = [textAt(node, 'NtryRef'), textAt(node, 'AddtlNtryInf'), ...textsOf(batch)]
  const lineOf = (
    each: Transaction | undefined,
    own: string | null,
    money: Money,
    texts = [each?.text],
  ): StatementLine => {
    const way = each?.direction ? directionOf(each.direction, where) : direction
    const party = (way === 'in' ? each?.dbtr : each?.cdtr) ?? { name: null, account: null, bank: null }
    return {
      ...{
        bookedOn,
        ...(valuedOn && { valuedOn }),
        direction: way,
        amount: money.amount,
        currency: money.currency ?? currency,
      },
      ...{ bankReference: own, text: clean([...texts, ...shared].filter(Boolean).join(' ')), party },
      ...{ returnReason: each?.returnReason ?? null, booking: null },
    }
  }
  const parts = partsOf(transactions, total, direction, currency)
  if (parts) {
    const whole = { number, direction, amount: total, bankReference: reference }
    return parts.map((money, index) => {
      const each = transactions[index]
      const own = each?.reference ?? (reference && `${reference}/${index}`)
      return { kind: 'line', line: { ...lineOf(each, own, money), booking: whole } }
    })
  }
  const only = transactions.length === 1 ? transactions[0] : undefined
  const own = reference ?? only?.reference ?? null
  // The booking's amount is what came to the account, also where the transaction was in another currency.
  const texts = transactions.map(({ text }) => text)
  return [{ kind: 'line', line: { ...lineOf(only, own, { amount: total, currency }, texts), direction } }]
}

/** The day that a statement begins and ends with; null: it has several, or does not say. */
function onlyDayOf(balances: readonly StatementItem[]): string | null {
  const dayAt = (at: 'opening' | 'closing') =>
    balances.flatMap(each => (each.kind === 'balance' && each.at === at && each.day) || [])[0]
  const day = dayAt('opening')
  return day !== undefined && day === dayAt('closing') ? day : null
}

/** ISO 20022 lets a bank leave the day out; then it is that of a statement of one day. */
function bookedOnOf(node: Node, onlyDay: string | null, where: string): string {
  const booked = textAt(node, 'BookgDt/Dt', 'BookgDt/DtTm')
  const said = booked ?? textAt(node, 'ValDt/Dt', 'ValDt/DtTm') ?? onlyDay
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)/.exec(said ?? '') ?? []
  return (booked === null ? valueDayOf : dayOf)(year, month, day, where)
}

/** Null: it is not said, or is no day. */
function valueDateOf(node: Node): string | null {
  const day = (textAt(node, 'ValDt/Dt', 'ValDt/DtTm') ?? '').slice(0, 10)
  const date = new Date(`${day}T00:00:00.000Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? day : null
}

function directionOf(code: string | null, where: string): 'in' | 'out' {
  if (code === 'CRDT') return 'in'
  if (code === 'DBIT') return 'out'
  throw new StatementError(`${where} is neither a credit nor a debit.`)
}

/** Amounts with which several transactions come to their booking; null: none do. */
function partsOf(
  all: readonly Transaction[],
  total: string,
  direction: string,
  currency: string,
): Money[] | null {
  if (all.length < 2) return null
  for (const which of [0, -1]) {
    const parts = all.flatMap(({ amounts, direction: way }) => {
      const { amount = '', currency: own = null } = amounts.at(which) ?? {}
      const isForeign = own !== null && own !== currency
      if (isForeign || !/^\+?\d{0,15}(\.\d{1,7})?$/.test(amount) || !/[1-9]/.test(amount)) return []
      const against = way !== null && way !== (direction === 'in' ? 'CRDT' : 'DBIT')
      return [{ amount: bookedAmount(amount, currency, 'A transaction'), currency: own, against }]
    })
    const sum = parts.reduce(
      (all, each) => all + (each.against ? -exact(each.amount) : exact(each.amount)),
      0n,
    )
    if (parts.length === all.length && sum === exact(total)) return parts
  }
  return null
}

/** In units of 10^-7, which hold all five fraction digits of ISO 20022. */
function exact(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole) * 10_000_000n + BigInt(fraction.padEnd(7, '0'))
}
