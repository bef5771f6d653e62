import type {
  BankStatement,
  CsvColumns,
  CsvPreview,
  CsvProposal,
  LineDecision,
  StatementLine,
} from '@windlass/contracts/anchor/bank-files.ts'
import type { BankPayout, PayoutFile, PayoutSheet } from '@windlass/contracts/anchor/payout-files.ts'
import * as returned from '@windlass/contracts/anchor/returned-payments.ts'
import type { ReturnedPayment } from '@windlass/contracts/anchor/returned-payments.ts'
import type { BankAccount } from '@windlass/contracts/anchor/bank-accounts.ts'
import * as accounts from '@windlass/contracts/platform/workspace-bank-accounts.ts'
import * as contracts from '@windlass/contracts/platform/workspace-bank-files.ts'
import { Refusal, type FakePlatform } from '@windlass/ui/testing/fake-platform.ts'

const AT = '2026-11-20T10:00:00.000Z'

const line: StatementLine = {
  id: '8f14e45fceea167a5a36dedd4bea2543',
  statementId: 'statement_1',
  rail: 'SEPA',
  bookedOn: '2026-11-20',
  direction: 'in',
  amount: '248.5',
  currency: 'EUR',
  bankReference: '2026112000123456',
  text: 'Invoice 4711, thank you very much for the quick help',
  party: {
    name: 'Anneliese Oberhuber-Schwarzenegger',
    account: 'DE02120300000000202051',
    bank: 'BYLADEM1001',
  },
  status: 'review',
  reason: 'It may be the same booking as another line.',
  possibleDuplicateOf: {
    ...{
      id: '6512bd43d9caa6e02c990b0a82652dca',
      statementId: 'statement_0',
      fileName: '2026-11-20-camt.054.xml',
    },
    ...{ bookedOn: '2026-11-20', bankReference: 'NONREF', status: 'matched' },
  },
  transactionId: null,
  payoutId: null,
  decidedBy: null,
  decidedAt: null,
  createdAt: AT,
}
const payoutOf = (id: string, hasAccount: boolean): BankPayout => ({
  ...{
    id,
    code: `P${id}`,
    kind: hasAccount ? 'payout' : 'return',
    rail: 'SEPA',
    amount: '91.5',
    currency: 'EUR',
  },
  ...{ transactionId: null, lineId: null, hasAccount, createdAt: AT },
})
const fileOf = (id: string, status: PayoutFile['status']): PayoutFile => ({
  ...{
    id,
    rail: 'SEPA',
    code: 'F0123456789ABCD',
    format: 'pain.001',
    fileName: `${id}.xml`,
    sha256: 'ab',
    payouts: 3,
  },
  ...{
    ended: status === 'approved' ? 2 : 0,
    total: '275.25',
    currency: 'EUR',
    status,
    createdBy: 'operator:someone',
  },
  ...{ approvedBy: null, approvedAt: null, downloadedAt: null, rejection: null, createdAt: AT },
})
const returnedOf = (id: string, transactionId: string | null): ReturnedPayment => ({
  ...{ id, kind: transactionId ? 'payout' : 'return', rail: 'SEPA', currency: 'EUR', transactionId },
  ...{ amount: transactionId ? '91.5' : '44', reason: 'AC04', since: AT, hasLeft: true, pending: null },
})
const statement: BankStatement = {
  ...{
    id: 'statement_1',
    rail: 'SEPA',
    account: 'DE89370400440532013000',
    currency: 'EUR',
    format: 'camt.053',
  },
  ...{
    fileName: '2026-11-20-camt.053.xml',
    lines: 41,
    newLines: 40,
    notBooked: 2,
    possibleDuplicates: 1,
    bookedFrom: '2026-11-19',
    bookedTo: '2026-11-20',
  },
  ...{ by: 'operator:someone', createdAt: AT, sha256: 'ab'.repeat(32), hasFile: true },
}

const account: BankAccount = {
  ...{ account: 'DE89370400440532013000', currency: 'EUR', rails: ['SEPA'], journal: '248.5', gap: '1000' },
  lastStatement: { id: 'statement_1', fileName: statement.fileName, bookedTo: '2026-11-20', readAt: AT },
  ...{ bank: { balance: '1248.5', day: '2026-11-20' }, gapSince: AT, opening: null },
  first: { balance: '1000', day: '2026-11-18' },
  pending: {
    ...{
      id: 'opening_1',
      amount: '1000',
      day: '2026-11-18',
      reason: 'From the bank’s letter',
      status: 'waiting',
    },
    ...{ requestedBy: 'operator:someone', requestedAt: AT, decidedBy: null, decidedAt: null },
  },
}
const SHEET = 'ab'.repeat(32)
const wish = {
  id: 'wish_1',
  payee: { name: 'Anneliese Oberhuber', account: 'NL91ABNA0417164300', bank: null },
  ...{ requestedBy: 'operator:someone', requestedAt: AT },
}
const sheetOf = (fileId: string): PayoutSheet => ({
  ...{ fileId, rail: 'SEPA', code: 'F0123456789ABCD', sha256: 'ab', total: '275.25', currency: 'EUR' },
  sheet: SHEET,
  payments: [
    {
      ...{ payoutId: 'one', code: 'P1', kind: 'payout', amount: '183.75', marks: ['changed-account'] },
      payee: { name: 'Asha Rao', account: 'DE02120300000000202051', bank: 'BYLADEM1001' },
      ...{ transactionId: 'b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11', line: null },
    },
    {
      ...{ payoutId: 'two', code: 'P2', kind: 'return', amount: '91.5', marks: [] },
      payee: { name: line.party.name ?? '', account: line.party.account ?? '', bank: null },
      transactionId: null,
      line: { id: line.id, bookedOn: line.bookedOn, name: line.party.name, account: line.party.account },
    },
  ],
})

const proposal: CsvProposal = {
  heads: ['Booked', 'Text', 'Amount', 'State'],
  columns: {
    ...{ delimiter: ';', decimal: ',', date: 'Booked', dateFormat: 'year-month-day' },
    ...{ amount: 'Amount', text: ['Text'] },
  },
  states: {
    column: 'State',
    words: [
      { word: 'COMPLETED', usual: 'booked' },
      { word: 'REVERTED', usual: 'failed' },
      { word: 'Frozen', usual: null },
    ],
  },
}
const reading: NonNullable<CsvPreview['reading']> = {
  ...{ lines: 2, notBooked: 2, currency: 'EUR', refused: null, sums: { in: '1234.5', out: '80' } },
  first: [
    { bookedOn: '2026-11-20', direction: 'in', amount: '1234.5', text: 'Invoice 4711', party: 'Asha Rao' },
    { bookedOn: '2026-11-20', direction: 'out', amount: '80', text: 'Rent', party: null },
  ],
}

/** What a browser asked for. */
interface BankState {
  decided: LineDecision[]
  lines: StatementLine[]
  uploaded: string[]
  columns?: CsvColumns
  files: PayoutFile[]
  wishes: boolean
  returned: ReturnedPayment[]
}

/** An anchor with a line to review, two payouts that wait, two files and a statement. */
export function answerBankFiles(platform: FakePlatform): BankState {
  const state: BankState = {
    decided: [],
    lines: [line],
    returned: [returnedOf('one', 'b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11'), returnedOf('two', null)],
    uploaded: [],
    files: [
      fileOf('one', 'created'),
      fileOf('two', 'approved'),
      { ...fileOf('own', 'created'), createdBy: 'operator:usr_1', total: '7' },
    ],
    wishes: true,
  }
  platform.answer(contracts.listWorkspaceStatementLines, ({ query }) => {
    if (query.get('decided') === 'person') return state.lines.filter(({ canReverse }) => canReverse)
    return state.lines.filter(({ status }) => status === query.get('status'))
  })
  platform.answer(contracts.listWorkspaceLineTwins, () => [
    { ...line, id: 'twin', status: 'matched' as const },
  ])
  platform.answer(contracts.listWorkspaceLineCandidates, () => [
    {
      ...{
        transactionId: 'b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11',
        reference: 'W0123456789ABCDEF',
        rail: 'SEPA',
      },
      ...{ amount: '248.5', status: 'awaiting_funds', createdAt: AT, samePayer: true },
    },
  ])
  platform.answer(contracts.decideWorkspaceStatementLine, ({ body }) => {
    const decision = body as LineDecision
    state.decided.push(decision)
    const by = { reason: decision.reason, requestedBy: 'operator:someone', requestedAt: AT }
    const pending = { kind: 'duplicate' as const, transactionId: null, duplicateOf: 'twin', ...by }
    const decided = { ...line, status: 'matched' as const, decidedBy: 'operator:someone', canReverse: true }
    // A match is tied by the payer's name; anything else waits for a second person.
    state.lines = [decision.decision === 'match' ? decided : { ...line, pending }]
    return state.lines[0]!
  })
  platform.answer(contracts.approveWorkspaceStatementLine, () => {
    state.lines = [{ ...line, status: 'ignored' as const, decidedBy: 'operator:me', canReverse: true }]
    return state.lines[0]!
  })
  platform.answer(contracts.reverseWorkspaceStatementLine, () => {
    state.lines = [line]
    return line
  })
  platform.answer(contracts.listWorkspacePayouts, () => [
    payoutOf('one', true),
    { ...payoutOf('two', false), ...(state.wishes ? { accountWish: wish } : {}) },
  ])
  platform.answer(contracts.listWorkspacePayoutFiles, () => state.files)
  platform.answer(contracts.getWorkspacePayoutSheet, ({ params }) => sheetOf(params.id ?? ''))
  platform.answer(contracts.approveWorkspacePayoutFile, ({ body }) => {
    const { sheet } = body as { sheet: string }
    if (sheet !== SHEET) return new Refusal('payout-file-changed', 'It is not the one that you have seen.')
    state.files = [fileOf('one', 'approved'), ...state.files.slice(1)]
    return fileOf('one', 'approved')
  })
  platform.answer(contracts.decideWorkspaceReturnAccount, () => {
    state.wishes = false
    return payoutOf('two', true)
  })
  platform.answer(contracts.rejectWorkspacePayoutFile, ({ body }) => {
    const { reason } = body as { reason: string }
    const by = { requestedBy: 'operator:someone', requestedAt: AT, decidedBy: null, decidedAt: null }
    const file = { ...fileOf('two', 'approved'), rejection: { status: 'waiting' as const, reason, ...by } }
    state.files = [fileOf('one', 'created'), file]
    return file
  })
  platform.answer(contracts.decideWorkspaceFileRejection, () => {
    state.files = [fileOf('one', 'created'), fileOf('two', 'rejected')]
    return fileOf('two', 'rejected')
  })
  platform.answer(returned.listWorkspaceReturnedPayments, () => state.returned)
  platform.answer(returned.payWorkspaceReturnAgain, ({ body }) => {
    const { reason } = body as { reason: string }
    const pending = { reason, requestedBy: 'operator:someone', requestedAt: AT }
    state.returned = state.returned.map(each => (each.transactionId ? each : { ...each, pending }))
    return state.returned[1]!
  })
  platform.answer(returned.approveWorkspaceRepayment, () => {
    const [first, second] = state.returned
    state.returned = [first!]
    return second!
  })
  platform.answer(accounts.listWorkspaceBankAccounts, () => [account])
  platform.answer(accounts.setWorkspaceOpeningBalance, () => account)
  platform.answer(accounts.decideWorkspaceOpeningBalance, () => ({ ...account, gap: '0', pending: null }))
  platform.answer(contracts.listWorkspaceStatements, () => [statement])
  platform.answer(contracts.uploadWorkspaceStatement, ({ query }) => {
    state.uploaded.push(query.get('fileName') ?? '')
    return statement
  })
  platform.answer(contracts.previewWorkspaceCsvStatement, () => ({ proposal, reading }))
  platform.answer(contracts.setWorkspaceCsvColumns, ({ body }) => {
    state.columns = body as CsvColumns
    return { columns: state.columns, history: [] }
  })
  platform.answer(contracts.getWorkspaceCsvColumns, () => ({ columns: null, history: [] }))
  return state
}
