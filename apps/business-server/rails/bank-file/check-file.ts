import { ibanFault, ifscFault, routingNumberFault } from '@windlass/contracts/platform/account-numbers.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { parse } from 'csv-parse/sync'
import { SaxesParser } from 'saxes'
import type { FilePayment } from './file-formats.ts'
import { pain001Faults, type XmlNode } from './pain001-rules.ts'

/*
 * Reads a file again that was written for a bank, by the rules of its format and apart from what wrote it: before a second person
 * is asked to approve it.
 */

export type PayoutFormat = 'pain.001' | 'nacha' | 'csv'

/** A payment as the file has it. */
interface Entry {
  code: string
  amount: string
  account: string
}

/** What is wrong with a file, or differs from what it is to pay; empty: a bank can read it, and pays just that. */
export function faultsOf(format: PayoutFormat, text: string, payments: readonly FilePayment[]): string[] {
  const read = { 'pain.001': readPain001, nacha: readNacha, csv: readIndianCsv }[format]
  const faults: string[] = []
  const entries = read(text, fault => faults.push(fault))
  const keyOf = ({ code, amount, account }: Entry) => `${code} ${account} ${amountOf(amount)}`
  const wanted = payments.map(({ code, amount, destination: { dest: account = '' } }) => ({
    ...{ code, amount, account },
  }))
  const [has, should] = [entries.map(keyOf).toSorted(), wanted.map(keyOf).toSorted()]
  if (JSON.stringify(has) !== JSON.stringify(should)) faults.push('its payments are not those of the payouts')
  if (new Set(entries.map(({ code }) => code)).size !== entries.length) faults.push('a code is in it twice')
  return faults.slice(0, MOST_FAULTS)
}

const MOST_FAULTS = 5
type Fault = (fault: string) => void

const amountOf = (text: string): string =>
  /^\d{1,12}\.\d\d$/.test(text) && parseAmount(text) > 0n
    ? formatAmount(parseAmount(text))
    : `wrong amount ${text}`

/** The rules that European banks agreed on beside the schema (EPC132-08): the letters, and what sums say. */
function readPain001(text: string, fault: Fault): Entry[] {
  const document = parseXml(text)
  if (!document) {
    fault('it is no XML')
    return []
  }
  for (const each of pain001Faults(document)) fault(each)
  const transfers = find(document, 'CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf')
  const amounts = transfers.flatMap(each => find(each, 'Amt/InstdAmt'))
  const sum = amounts.reduce((all, { text: amount }) => all + centsOf(amount), 0n)
  for (const path of ['CstmrCdtTrfInitn/GrpHdr', 'CstmrCdtTrfInitn/PmtInf']) {
    const [head] = find(document, path)
    if (textOf(head, 'NbOfTxs') !== String(transfers.length)) fault('its number of payments is wrong')
    if (centsOf(textOf(head, 'CtrlSum')) !== sum) fault('its sum is wrong')
  }
  for (const { attributes } of amounts) if (attributes.Ccy !== 'EUR') fault('a payment is not in EUR')
  for (const name of textsIn(document))
    if (/[^A-Za-z0-9/\-?:().,'+ ]/.test(name)) fault(`banks do not take: ${name}`)
  return transfers.map(each => {
    const account = textOf(each, 'CdtrAcct/Id/IBAN')
    const why = ibanFault(account)
    if (why) fault(`IBAN ${account}: ${why}`)
    return { code: textOf(each, 'PmtId/EndToEndId'), amount: textOf(each, 'Amt/InstdAmt'), account }
  })
}

const centsOf = (amount: string): bigint =>
  /^\d{1,12}\.\d\d$/.test(amount) ? BigInt(amount.replace('.', '')) : -1n

function parseXml(text: string): XmlNode | null {
  const parser = new SaxesParser({ xmlns: true })
  const open: XmlNode[] = []
  let root: XmlNode | null = null
  let isWhole = true
  parser.on('error', () => (isWhole = false))
  parser.on('doctype', () => (isWhole = false))
  parser.on('opentag', ({ local, uri, attributes }) => {
    const given = Object.values(attributes).map(({ local: name, value }) => [name, value] as const)
    const node = { name: local, uri, attributes: Object.fromEntries(given), text: '', children: [] }
    open.at(-1)?.children.push(node)
    root ??= node
    open.push(node)
  })
  parser.on('text', part => {
    const node = open.at(-1)
    if (node) node.text += part
  })
  parser.on('closetag', () => open.pop())
  parser.write(text).close()
  return isWhole ? root : null
}

const find = (node: XmlNode | undefined, path: string): XmlNode[] =>
  path
    .split('/')
    .reduce<XmlNode[]>(
      (nodes, name) => nodes.flatMap(({ children }) => children.filter(each => each.name === name)),
      node ? [node] : [],
    )
const textOf = (node: XmlNode | undefined, path: string): string => find(node, path)[0]?.text ?? ''
const textsIn = (node: XmlNode): string[] => [
  ...(node.children.length === 0 ? [node.text] : []),
  ...node.children.flatMap(textsIn),
]

const LENGTH = 94
/** The fields of a record by their places, each with what it has: by Nacha's rules for the class PPD. */
const RECORDS: Readonly<Record<string, RegExp>> = {
  '1': /^101 \d{9}[A-Z0-9 ]{10}\d{6}\d{4}[A-Z0-9]094101.{23}.{23}.{8}$/,
  '5': /^5220.{16}.{20}[A-Z0-9 ]{10}PPD[^ ].{9}.{6}\d{6} {3}1\d{8}\d{7}$/,
  '6': /^6[23]2\d{9}[A-Za-z0-9 -]{17}\d{10}.{15}[^ ].{21}.{2}0\d{15}$/,
  '8': /^8220\d{6}\d{10}\d{12}\d{12}[A-Z0-9 ]{10} {25}\d{8}\d{7}$/,
  '9': /^9\d{6}\d{6}\d{8}\d{10}\d{12}\d{12} {39}$/,
}

function readNacha(text: string, fault: Fault): Entry[] {
  if (/[^\u0020-\u007e\r\n]/.test(text)) fault('it has characters that are not of ASCII')
  const lines = text.split('\r\n')
  if (lines.pop() !== '') fault('its last record does not end')
  const fill = '9'.repeat(LENGTH)
  const records = lines.filter((line, at) => line !== fill || at < 4)
  if (lines.some((line, at) => line === fill && at < records.length)) fault('its filling is not at the end')
  if (lines.length % 10 !== 0 || lines.length - records.length > 9)
    fault('its records are not in blocks of ten')
  for (const [at, record] of records.entries())
    if (record.length !== LENGTH || !RECORDS[record[0] ?? '']?.test(record))
      fault(`record ${at + 1} is wrong`)
  if (!/^156+89$/.test(records.map(record => record[0]).join(''))) fault('its records are not in their order')
  const [file = '', batch = ''] = records
  const [batchEnd = '', fileEnd = ''] = records.slice(-2)
  const entries = records.filter(record => record.startsWith('6'))
  const hash = entries.reduce((sum, each) => sum + BigInt(digits(each, 3, 11)), 0n) % 10n ** 10n
  const credits = entries.reduce((sum, each) => sum + BigInt(digits(each, 29, 39)), 0n)
  const sums = `${String(hash).padStart(10, '0')}${'0'.repeat(12)}${String(credits).padStart(12, '0')}`
  if (batchEnd.slice(4, 44) !== `${String(entries.length).padStart(6, '0')}${sums}`)
    fault('what its batch adds up to is wrong')
  const blocks = String(lines.length / 10).padStart(6, '0')
  if (fileEnd.slice(1, 55) !== `000001${blocks}${String(entries.length).padStart(8, '0')}${sums}`)
    fault('what it adds up to is wrong')
  const [origin, odfi] = [file.slice(13, 23), batch.slice(79, 87)]
  if (origin.trim() === '' || batch.slice(40, 50) !== origin || batchEnd.slice(44, 54) !== origin)
    fault('its company is not the same everywhere')
  if (batchEnd.slice(79, 87) !== odfi || batchEnd.slice(87) !== batch.slice(87))
    fault('its batch ends as another')
  let last = ''
  for (const entry of entries) {
    const routing = entry.slice(3, 12)
    const why = routingNumberFault(routing)
    if (why) fault(`routing number ${routing}: ${why}`)
    const trace = entry.slice(79)
    if (!trace.startsWith(odfi) || trace <= last) fault('its trace numbers do not ascend')
    last = trace
  }
  return entries.map(each => ({
    code: each.slice(39, 54).trim(),
    account: each.slice(12, 29).trim(),
    // oxlint-disable-next-line linear-patterns/by-any-text -- ten digits
    amount: digits(each, 29, 39).replace(/^0*(\d+)(\d\d)$/, '$1.$2'),
  }))
}

/** Zero where there are no digits: the record is wrong then anyway. */
const digits = (record: string, from: number, to: number): string =>
  /^\d+$/.test(record.slice(from, to)) ? record.slice(from, to) : '0'

const COLUMNS = 7

function readIndianCsv(text: string, fault: Fault): Entry[] {
  if (/[^\u0020-\u007e\r\n]/.test(text)) fault('it has characters that are not of ASCII')
  let rows: string[][] = []
  try {
    rows = parse(text, { record_delimiter: '\r\n', from_line: 2 })
  } catch {
    fault('it is no CSV')
  }
  return rows.map(
    ([rail = '', name = '', account = '', ifsc = '', amount = '', from = '', code = '', ...more], at) => {
      const cells = [rail, name, account, ifsc, amount, from, code]
      if (more.length > 0 || cells.filter(Boolean).length !== COLUMNS)
        fault(`row ${at + 2} has not ${COLUMNS} cells`)
      if (cells.some(cell => /^[=+\-@\s]/.test(cell))) fault(`row ${at + 2} has what a spreadsheet computes`)
      if (!/^\d{9,18}$/.test(account)) fault(`account ${account} has not 9 to 18 digits`)
      const why = ifscFault(ifsc)
      if (why) fault(`IFSC ${ifsc}: ${why}`)
      return { code, amount, account }
    },
  )
}
