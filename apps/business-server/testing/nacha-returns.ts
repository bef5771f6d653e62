/** An entry that came back, or that a bank corrects. */
export interface ReturnedEntry {
  /** The return reason (`R03`) or what changed (`C01`). */
  code: string
  cents: number
  /** Our reference of the payment; empty where the bank leaves it out. */
  individualId?: string
  /** The trace number of the entry as it left. */
  original?: string
  account?: string
  name?: string
  /** `21`: a credit that comes back, `26`: a debit. */
  kind?: string
  /** What a return says beside its reason, or what is right now. */
  text?: string
}

const left = (value: string, length: number) => value.slice(0, length).padEnd(length, ' ')
const right = (value: number | bigint, length: number) => String(value).padStart(length, '0')

const OUR_BANK = '02100002'
let files = 0

/** A file of one batch, as a bank in the United States sends it: records of 94 characters in blocks of ten. */
export function nachaReturns(
  entries: readonly ReturnedEntry[],
  { company = '1234567890', settled = '', fileCode = '' } = {},
): string {
  files += 1
  const isChange = entries.some(({ code }) => code.startsWith('C'))
  const records = entries.flatMap((entry, index) => {
    const trace = `09100001${right(files * 100 + index, 7)}`
    const addenda = isChange ? '798' : '799'
    const said = left(entry.text ?? '', isChange ? 29 : 44).padEnd(44)
    return [
      `6${entry.kind ?? '21'}${OUR_BANK}1${left(entry.account ?? '9876543210', 17)}${right(entry.cents, 10)}` +
        `${left(entry.individualId ?? '', 15)}${left(entry.name ?? 'ASHA RAO', 22)}  1${trace}`,
      `${addenda}${entry.code}${left(entry.original ?? '021000020000001', 15)}      01140153${said}${trace}`,
    ]
  })
  const sum = (isDebit: boolean) =>
    entries.reduce((all, { kind, cents }) => all + ((kind === '26') === isDebit ? cents : 0), 0)
  const hash = right(BigInt(OUR_BANK) * BigInt(entries.length), 10)
  const sums = `${hash}${right(sum(true), 12)}${right(sum(false), 12)}`
  const end = `${company}${left('', 25)}091000010000001`
  const body = [
    `101 021000021 0910000192611231200A094101${left('MUMBAI PAY INC', 23)}${left('A BANK', 23)}${left('', 8)}`,
    `5200${left('MUMBAI PAY INC', 16)}${left(fileCode, 20)}${company}${isChange ? 'COR' : 'PPD'}${left('PAYOUT', 10)}261120261123${left(settled, 3)}1091000010000001`,
    ...records,
    `8200${right(records.length, 6)}${sums}${end}`,
  ]
  const blocks = Math.ceil((body.length + 1) / 10)
  body.push(`9000001${right(blocks, 6)}${right(records.length, 8)}${sums}${left('', 39)}`)
  while (body.length < blocks * 10) body.push('9'.repeat(94))
  return `${body.join('\r\n')}\r\n`
}
