import type { StatementFormat } from '@windlass/contracts/anchor/bank-files.ts'
import { startOf } from './encoding.ts'
import { NACHA } from './nacha.ts'
import { isOwnExport } from './own-exports.ts'
import { StatementError } from './statement.ts'

const READ = 'Statements are read as camt.053, camt.054, MT940, OFX and CSV, returns over ACH as NACHA.'

/** What people upload that is no statement, by how it begins. */
const others: readonly [begins: RegExp, what: string][] = [
  [/^%PDF/, 'The file is a PDF.'],
  [/^PK[^]*(\[Content_Types\]|\bxl\/|\.ods)/, 'The file is a spreadsheet. Save it as CSV.'],
  [/^\u00D0\u00CF\u0011\u00E0/, 'The file is a document of an office program. Save a spreadsheet as CSV.'],
  [
    /^(PK|\u001F\u2039|7z\u00BC\u00AF|Rar!)/,
    'The file is an archive that is not read. Unpack it, and upload the files in it.',
  ],
  [/^\s*!(Type|Account|Option):/i, 'The file is QIF.'],
  [/^01,\w*,\w*,\d{6},\d{0,4},/, 'The file is BAI2.'],
  [/^\s*<(!doctype\s+html|html)/i, 'The file is a web page.'],
  [/^\s*[[{]\s*["{[\]}]/, 'The file is JSON.'],
  [
    /^(?![^]*:60[FM]:)[^]*:34F:/,
    'The file is an MT942, a report within the day, whose bookings may change. Upload the MT940 of the whole day.',
  ],
  [
    /BkToCstmrAcctRpt|camt\.052/,
    'The file is a camt.052, a report within the day, whose bookings may change. Upload the camt.053 of the whole day.',
  ],
]

const OFX = /^\s*(OFXHEADER|(<\?xml[^>]*>\s*)?<(\?OFX|OFX))/i

/**
 * The format of a file.
 *
 * @param given what the person says that it is
 * @throws {StatementError} for what is no statement, naming it.
 */
export function formatOf(bytes: Buffer, given?: StatementFormat): StatementFormat {
  const start = startOf(bytes)
  if (isOwnExport(start))
    throw new StatementError(
      'The file is an export of Windlass: its lines are in the journal already. Upload the statement that your bank made.',
    )
  const known = others.find(([begins]) => begins.test(start))
  if (known) throw new StatementError(`${known[1]} ${READ}`)
  if (NACHA.test(start)) return 'nacha'
  if (given) return given
  if (OFX.test(start)) return 'ofx'
  if (/^\s*</.test(start)) return /BkToCstmrDbtCdtNtfctn|camt\.054/.test(start) ? 'camt.054' : 'camt.053'
  return /^(\s*\{1:|\s*:20:)|\n\s*:(20|60[FM]):/.test(start) ? 'mt940' : 'csv'
}
