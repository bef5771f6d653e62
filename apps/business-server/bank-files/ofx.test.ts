import { expect, it } from 'vitest'
import { readOfx } from './ofx.ts'

const head = 'OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nENCODING:USASCII\r\nCHARSET:1252\r\n\r\n'
/** As a bank in the United States writes it, without the ends of values. */
const sgml = (transactions: string, currency = 'USD') =>
  `${head}<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20261121</SONRS></SIGNONMSGSRSV1>` +
  `<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STMTRS><CURDEF>${currency}<BANKACCTFROM><BANKID>021000021<ACCTID>12345678<ACCTTYPE>CHECKING</BANKACCTFROM>` +
  `<BANKTRANLIST><DTSTART>20261101<DTEND>20261121${transactions}</BANKTRANLIST>` +
  '<LEDGERBAL><BALAMT>100.00<DTASOF>20261121</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n'
const read = (text: string) => Array.fromAsync(readOfx([Buffer.from(text)]))
const lines = async (text: string) =>
  (await read(text)).flatMap(item =>
    item.kind === 'line'
      ? `${item.line.direction} ${item.line.amount} ${item.line.currency} ${item.line.bookedOn}`
      : item.kind === 'account'
        ? []
        : item.kind,
  )

it('bookings are read with the bank’s day, sign, reference and texts', async () => {
  const text = sgml(
    '<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261120233000[-5:EST]<TRNAMT>+1250.50<FITID>A1\r\n<NAME>ACH ASHA RAO &amp; CO\r\n<MEMO>W0123456789ABCDEF</STMTTRN>' +
      '<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261121<TRNAMT>-.75<FITID>A2<NAME>FEE</STMTTRN>',
  )
  expect(await read(text)).toMatchObject([
    { kind: 'account', account: '021000021/12345678', currency: 'USD' },
    {
      line: {
        ...{ direction: 'in', amount: '1250.5', bookedOn: '2026-11-20', bankReference: 'A1' },
        // A description is no payer.
        ...{ text: 'ACH ASHA RAO & CO W0123456789ABCDEF', party: { name: null } },
      },
    },
    { line: { direction: 'out', amount: '0.75', bookedOn: '2026-11-21' } },
  ])
})

it('OFX 2 is read too, with the payer whom it names and the account that paid', async () => {
  const text =
    '<?xml version="1.0"?><?OFX OFXHEADER="200" VERSION="220"?><OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR</CURDEF>' +
    '<BANKACCTFROM><BANKID>37040044</BANKID><ACCTID>DE89370400440532013000</ACCTID></BANKACCTFROM><BANKTRANLIST>' +
    '<STMTTRN><TRNTYPE>XFER</TRNTYPE><DTPOSTED>20261120</DTPOSTED><TRNAMT>12,34</TRNAMT><FITID>1</FITID>' +
    '<PAYEE><NAME>Asha Rao</NAME><CITY>X</CITY></PAYEE><BANKACCTTO><BANKID>B</BANKID><ACCTID>NL1</ACCTID></BANKACCTTO></STMTTRN>' +
    '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>'
  expect((await read(text)).slice(1)).toMatchObject([
    { line: { direction: 'in', amount: '12.34', party: { name: 'Asha Rao', account: 'NL1', bank: 'B' } } },
  ])
})

it.each([
  [
    'a pending one is no money',
    '<STMTTRNP><TRNTYPE>DEBIT<DTTRAN>20261120<TRNAMT>-5</STMTTRNP>',
    ['no-money'],
  ],
  ['one of 0 is none', '<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261120<TRNAMT>0.00</STMTTRN>', []],
  [
    'a sign that its kind contradicts',
    '<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261120<TRNAMT>5.00</STMTTRN>',
    ['unread'],
  ],
  ['a comma that may group', '<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261120<TRNAMT>1,250</STMTTRN>', ['unread']],
  ['no amount', '<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261120</STMTTRN>', ['unread']],
  ['no day', '<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261320<TRNAMT>5.00</STMTTRN>', ['unread']],
  [
    'its own currency',
    '<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261120<TRNAMT>5.00<CURRENCY><CURRATE>1.1<CURSYM>CAD</CURRENCY></STMTTRN>',
    ['in 5 CAD 2026-11-20'],
  ],
  [
    'what it was before',
    '<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261120<TRNAMT>5.00<ORIGCURRENCY><CURRATE>1.1<CURSYM>CAD</ORIGCURRENCY></STMTTRN>',
    ['in 5 USD 2026-11-20'],
  ],
])('of a booking counts: %s', async (_, transaction, found) => {
  expect(await lines(sgml(transaction))).toEqual(found)
})

it('a file that is cut off, or has no statement of a bank account, is refused', async () => {
  await expect(read(sgml('').slice(0, -10))).rejects.toThrow('cut off')
  await expect(read(`${head}<OFX><INVSTMTMSGSRSV1></INVSTMTMSGSRSV1></OFX>`)).rejects.toThrow(
    'without a statement',
  )
})
