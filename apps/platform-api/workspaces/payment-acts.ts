import type { StatementLine } from '@windlass/contracts/anchor/bank-files.ts'
import type { PayoutFile } from '@windlass/contracts/anchor/payout-files.ts'
import * as actions from '@windlass/contracts/anchor/operator-actions.ts'
import type { OperatorAction, PayeeAccount } from '@windlass/contracts/anchor/operator-actions.ts'
import * as returned from '@windlass/contracts/anchor/returned-payments.ts'
import type { ReturnedPayment } from '@windlass/contracts/anchor/returned-payments.ts'
import * as accounts from '@windlass/contracts/platform/workspace-bank-accounts.ts'
import * as files from '@windlass/contracts/platform/workspace-bank-files.ts'
import { READING_MS, read, relay, type Relay } from './relay.ts'

/** An account is a customer's and stays at the anchor. */
const endOf = (account: Partial<PayeeAccount> | null | undefined) => account?.dest?.slice(-4) ?? null

const factsOf = ({ id, rail, code, payouts, total, currency, sha256 }: PayoutFile) => ({
  ...{ id, rail, code, payouts, total, currency, sha256 },
})

const aboutLine = (done: string) => (_: unknown, line?: StatementLine) =>
  `statement-line.${line?.pending ? 'waiting' : done}`
const lineFacts = ({ amount, currency, status }: StatementLine) => ({ amount, currency, status })

const aboutReturn = (done: string, payment?: ReturnedPayment) =>
  `returned-payment.${payment?.pending ? 'waiting' : done}`
const returnFacts = ({ amount, currency }: ReturnedPayment) => ({ amount, currency })

const actionNames: Record<OperatorAction['status'], string> = {
  waiting: 'transaction.action-requested',
  done: 'transaction.action-done',
  rejected: 'transaction.action-rejected',
}
const actionFacts = ({ id, transactionId, kind: what, reason, paymentId, account }: OperatorAction) => ({
  ...{ id, transactionId, what, reason },
  ...(paymentId === null ? {} : { paymentId }),
  ...(account ? { end: endOf(account) } : {}),
})

export const bankFileActs: Relay[] = [
  read(files.listWorkspaceStatements),
  read(files.listWorkspaceStatementLines),
  read(files.listWorkspaceLineCandidates),
  read(files.listWorkspaceLineTwins),
  read(files.getWorkspaceCsvColumns),
  read(files.listWorkspacePayouts),
  read(files.listWorkspacePayoutFiles),
  read(accounts.listWorkspaceBankAccounts),
  relay({
    endpoint: accounts.downloadWorkspaceStatementFile,
    within: READING_MS,
    fileName: ({ params: { id } }) => `bank-statement-${id}`,
    audit: { action: 'bank-statement.downloaded' },
  }),
  relay({
    endpoint: accounts.setWorkspaceOpeningBalance,
    audit: {
      action: 'opening-balance.requested',
      asked: ({ params: { rail }, body }) => ({ rail, ...body }),
      found: ({ account, pending }) => ({ account, id: pending?.id }),
    },
  }),
  relay({
    endpoint: accounts.decideWorkspaceOpeningBalance,
    audit: {
      action: ({ body }) => (body.approve ? 'opening-balance.approved' : 'opening-balance.rejected'),
      asked: ({ params: { id } }) => ({ id }),
      found: ({ account }) => ({ account }),
    },
  }),
  relay({ endpoint: files.previewWorkspaceCsvStatement, within: READING_MS }),
  relay({
    endpoint: files.uploadWorkspaceStatement,
    within: READING_MS,
    audit: {
      action: 'bank-statement.uploaded',
      asked: ({ params: { rail }, query: { fileName } }) => ({ rail, fileName }),
      found: ({ id, fileName, lines, newLines }) => ({ id, fileName, lines, newLines }),
    },
  }),
  relay({
    endpoint: files.decideWorkspaceStatementLine,
    audit: {
      action: aboutLine('decided'),
      asked: ({ params: { id }, body: { decision, as, transactionId, duplicateOf, account, reason } }) => ({
        ...{ id, what: as ?? decision },
        ...(transactionId && { transactionId }),
        ...(duplicateOf && { duplicateOf }),
        ...(account && { account }),
        reason,
      }),
      found: lineFacts,
    },
  }),
  relay({
    endpoint: files.approveWorkspaceStatementLine,
    audit: {
      action: ({ body }, line) =>
        aboutLine(body.approve ? 'decision-approved' : 'decision-rejected')(body, line),
      found: lineFacts,
    },
  }),
  relay({
    endpoint: files.reverseWorkspaceStatementLine,
    audit: {
      action: aboutLine('reversed'),
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: lineFacts,
    },
  }),
  relay({
    endpoint: files.setWorkspaceCsvColumns,
    send: columns => ({ columns }),
    audit: {
      action: 'csv-columns.changed',
      asked: ({ params: { rail }, body }) => ({ rail, ...body }),
    },
  }),
  relay({
    endpoint: files.setWorkspacePayoutAccount,
    audit: {
      action: 'payout.account-added',
      asked: ({ params: { id }, body }) => ({ id, end: endOf(body) }),
    },
  }),
  relay({
    endpoint: files.decideWorkspaceReturnAccount,
    audit: {
      action: ({ body }) => (body.approve ? 'payout.account-approved' : 'payout.account-dismissed'),
      asked: ({ params: { id: wish } }) => ({ wish }),
      found: ({ id }) => ({ id }),
    },
  }),
  relay({
    endpoint: files.createWorkspacePayoutFile,
    audit: { action: 'payout-file.created', found: factsOf },
  }),
  relay({
    endpoint: files.getWorkspacePayoutSheet,
    audit: { action: 'payout-file.seen', found: ({ sheet }) => ({ sheet }) },
  }),
  relay({
    endpoint: files.approveWorkspacePayoutFile,
    audit: {
      action: 'payout-file.approved',
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: factsOf,
    },
  }),
  relay({
    endpoint: files.cancelWorkspacePayoutFile,
    audit: { action: 'payout-file.canceled', found: factsOf },
  }),
  relay({
    endpoint: files.rejectWorkspacePayoutFile,
    audit: {
      action: 'payout-file.rejection-requested',
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: factsOf,
    },
  }),
  relay({
    endpoint: files.decideWorkspaceFileRejection,
    audit: {
      action: ({ body }) => (body.approve ? 'payout-file.rejected' : 'payout-file.rejection-dismissed'),
      found: factsOf,
    },
  }),
  relay({
    endpoint: files.downloadWorkspacePayoutFile,
    within: READING_MS,
    fileName: ({ params: { id } }) => `payout-file-${id}`,
    audit: { action: 'payout-file.downloaded' },
  }),
]

export const transactionActs: Relay[] = [
  relay({
    endpoint: actions.requestWorkspaceAction,
    audit: {
      action: (_, action) => actionNames[action?.status ?? 'waiting'],
      asked: ({ params: { id }, body: { kind: what, reason, paymentId, account } }) => ({
        ...{ transactionId: id, what, reason },
        ...(paymentId && { paymentId }),
        ...(account && { end: endOf(account) }),
      }),
      found: actionFacts,
    },
  }),
  relay({
    endpoint: actions.decideWorkspaceAction,
    audit: {
      action: ({ body }, action) => actionNames[action?.status ?? (body.approve ? 'done' : 'rejected')],
      found: actionFacts,
    },
  }),
  read(returned.listWorkspaceReturnedPayments),
  relay({
    endpoint: returned.payWorkspaceReturnAgain,
    audit: {
      action: (_, payment) => aboutReturn('paid-again', payment),
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: returnFacts,
    },
  }),
  relay({
    endpoint: returned.approveWorkspaceRepayment,
    audit: {
      action: ({ body }, payment) => aboutReturn(body.approve ? 'approved' : 'rejected', payment),
      found: returnFacts,
    },
  }),
]
