/** What our exports of money at a rail say of themselves, so that nobody's statement is what we wrote. */
export const EXPORT_MARK = 'WINDLASS-EXPORT'

/** The columns of our files: the journal, fees, transactions of the console, payouts for banks in India. */
const heads = [
  ['at', 'entry', 'kind', 'transaction', 'account', 'unit', 'amount'],
  ['day', 'rail', 'direction', 'transactions', 'fees', 'rounding', 'unit'],
  ['id', 'created', 'kind', 'status', 'account', 'memo', 'amount', 'fee', 'rail', 'rail_amount', 'currency'],
  ['Transaction Type', 'Beneficiary Name', 'Beneficiary Account Number'],
]
const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** Exports of release 0.1, which have no mark: our names of entries stand where banks have theirs. */
const unmarked = [
  /<MsgId>([\w-]+)<\/MsgId>.*<Stmt><Id>\1<\/Id>.*<NtryRef>[0-9a-f]{32}<\/NtryRef>.*<BkTxCd><Prtry>/,
  new RegExp(`<TRNUID>0</TRNUID>.*<FITID>${UUID}</FITID>`),
]

/** Whether a file is one that we made. A spreadsheet may have saved its columns with another delimiter, or quoted. */
export function isOwnExport(start: string): boolean {
  if (start.includes(EXPORT_MARK) || unmarked.some(form => form.test(start))) return true
  const [first = ''] = start.split(/\r?\n/, 1)
  return heads.some(
    names =>
      first
        .replaceAll('"', '')
        .split(/[,;\t|]/)
        .slice(0, names.length)
        .join() === names.join(),
  )
}
