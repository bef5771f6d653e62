import { expect, it } from 'vitest'
import { isOwnExport } from './file-content.ts'

const id = '00000000-0000-4000-8000-000000000001'

it.each([
  ['with another delimiter', 'at;entry;kind;transaction;account;unit;amount\n'],
  ['with quotes', '"day","rail","direction","transactions","fees","rounding","unit"\r\n'],
  [
    'of transactions in the console',
    'id,created,kind,status,account,memo,amount,fee,rail,rail_amount,currency,x\n',
  ],
  ['of payouts', '"Transaction Type","Beneficiary Name","Beneficiary Account Number","IFSC"\r\n'],
  [
    'camt.053 of release 0.1',
    '<GrpHdr><MsgId>SEPA-2026-10-01-2026-10-31</MsgId></GrpHdr><Stmt><Id>SEPA-2026-10-01-2026-10-31</Id>' +
      `<Ntry><NtryRef>${id.replaceAll('-', '')}</NtryRef><BkTxCd><Prtry><Cd>deposit</Cd>`,
  ],
  ['OFX of release 0.1', `<TRNUID>0</TRNUID><FITID>${id}</FITID>`],
])('an export is known, also %s', (_, start) => {
  expect(isOwnExport(start)).toBe(true)
})

it.each([
  'Date,Amount,Text\n2026-11-20,1.00,at\n',
  'at,amount\n',
  '<MsgId>1</MsgId><Stmt><Id>1</Id><NtryRef>77</NtryRef><BkTxCd><Prtry>',
  '<TRNUID>0</TRNUID><FITID>20261120001</FITID>',
])('a bank’s file is none: %s', start => {
  expect(isOwnExport(start)).toBe(false)
})
