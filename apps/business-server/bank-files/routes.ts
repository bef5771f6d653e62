import { downloadStatementFile, downloadStatementFileAs } from '@windlass/contracts/anchor/bank-accounts.ts'
import * as contracts from '@windlass/contracts/anchor/bank-files.ts'
import * as payoutFiles from '@windlass/contracts/anchor/payout-files.ts'
import type { StatementLine } from '@windlass/contracts/anchor/bank-files.ts'
import type { BankPayout } from '@windlass/contracts/anchor/payout-files.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { answer, fileAnswer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import type { BankStatementRow, PayoutFileRejection } from '../tables.ts'
import { wordsAssignedTwice } from './csv-states.ts'
import { approveLine, decideLine, lineCandidates, lineForms, lineTwins, reverseLine } from './decide.ts'
import { findFile, listFiles, listWaiting, type ListedFile } from '../rails/bank-file/files.ts'
import { openStatementFile, addColumns, type Kept, listColumns, listStatements } from './statements.ts'
import { approvePayoutFile, cancelPayoutFile, createPayoutFile, downloadPayoutFile } from './payout-files.ts'
import { readSheet } from './payout-sheets.ts'
import { previewCsv } from './preview.ts'
import { readStatement } from './read-statement.ts'
import { decideFileRejection, rejectPayoutFile } from './rejected-files.ts'
import { decideReturnAccount, payoutForm, setPayoutAccount } from './return-accounts.ts'
import { listLines } from './find-lines.ts'

interface UploadQuery {
  fileName: string
  format?: contracts.StatementFormat | undefined
  accountConfirmed?: boolean | undefined
}

export function serveBankFiles(on: On, deps: Deps): void {
  const { db } = deps.database
  const upload = async (
    rail: string,
    { fileName, format, accountConfirmed }: UploadQuery,
    bytes: Buffer,
    by: string,
  ) => {
    const row = await readStatement(deps, { rail, fileName, format, accountConfirmed, bytes, by })
    return answer(201, statementForm({ ...row, has_file: true, file_removed_at: null }))
  }
  on(contracts.uploadStatement).serve(({ params, query, raw, principal }) =>
    upload(params.rail, query, raw, `key:${principal.keyId}`),
  )
  on(contracts.uploadStatementAs).serve(({ params, query, raw }) => upload(params.rail, query, raw, query.by))
  on(contracts.listStatements).serve(async ({ query, request, reply }) => {
    const rows = await listStatements(db, query)
    linkNext(request, reply, query, rows)
    return rows.map(statementForm)
  })
  for (const endpoint of [downloadStatementFile, downloadStatementFileAs])
    on(endpoint).serve(async ({ params }) => {
      const { name, bytes } = await openStatementFile(deps, params.id)
      return fileAnswer(name, bytes)
    })
  on(contracts.listStatementLines).serve(async ({ query, request, reply, principal }) => {
    const rows = await listLines(db, query)
    linkNext(request, reply, query, rows)
    return linesFor(principal, await lineForms(deps, rows))
  })
  on(contracts.listLineCandidates).serve(({ params }) => lineCandidates(deps, params.id))
  on(contracts.listLineTwins).serve(async ({ params, principal }) =>
    linesFor(principal, await lineTwins(deps, params.id)),
  )
  on(contracts.decideStatementLine).serve(async ({ params, body, principal }) =>
    lineFor(principal, await decideLine(deps, params.id, `key:${principal.keyId}`, body)),
  )
  on(contracts.decideStatementLineAs).serve(({ params, body: { by, ...decision } }) =>
    decideLine(deps, params.id, by, decision),
  )
  on(contracts.approveStatementLineAs).serve(({ params, body }) => approveLine(deps, params.id, body))
  on(contracts.reverseStatementLineAs).serve(({ params, body }) => reverseLine(deps, params.id, body))
  on(contracts.getCsvColumns).serve(({ params }) => columns(deps, params.rail))
  on(contracts.previewCsvStatement).serve(({ params, body: { data, columns } }) =>
    previewCsv(deps, params.rail, Buffer.from(data, 'base64'), columns),
  )
  on(contracts.setCsvColumns).serve(({ params, body, principal }) =>
    setColumns(deps, params.rail, body, `key:${principal.keyId}`),
  )
  on(contracts.setCsvColumnsAs).serve(({ params, body }) =>
    setColumns(deps, params.rail, body.columns, body.by),
  )
  servePayouts(on, deps)
}

type Reader = Principals['developer']
const seesPayers = ({ scopes }: Reader): boolean => scopes.includes('payers')

const linesFor = (reader: Reader, lines: readonly StatementLine[]) => lines.map(line => lineFor(reader, line))

/** The bank's text names who paid as well. */
const lineFor = (reader: Reader, line: StatementLine): StatementLine =>
  seesPayers(reader) ? line : { ...line, text: '', party: { name: null, account: null, bank: null } }

/** Shows who asked for another account, but not its holder or number. */
const withoutPayee = (payout: BankPayout): BankPayout =>
  payout.accountWish
    ? { ...payout, accountWish: { ...payout.accountWish, payee: { name: '', account: '', bank: null } } }
    : payout

function servePayouts(on: On, deps: Deps): void {
  const { db } = deps.database
  on(payoutFiles.listWaitingPayouts).serve(async ({ query, request, reply, principal }) => {
    const rows = await listWaiting(db, query)
    linkNext(request, reply, query, rows)
    const payouts = await Promise.all(rows.map(row => payoutForm(deps, row)))
    return seesPayers(principal) ? payouts : payouts.map(withoutPayee)
  })
  on(payoutFiles.listPayoutFiles).serve(async ({ query, request, reply }) => {
    const rows = await listFiles(db, query)
    linkNext(request, reply, query, rows)
    return rows.map(fileForm)
  })
  on(payoutFiles.createPayoutFileAs).serve(async ({ params, body }) =>
    answer(201, fileForm(await createPayoutFile(deps, params.rail, body.by))),
  )
  on(payoutFiles.approvePayoutFileAs).serve(async ({ params, body }) =>
    fileForm(await approvePayoutFile(deps, params.id, body)),
  )
  on(payoutFiles.getPayoutSheetAs).serve(async ({ params }) => readSheet(deps, await findFile(db, params.id)))
  on(payoutFiles.cancelPayoutFileAs).serve(async ({ params }) =>
    fileForm(await cancelPayoutFile(deps, params.id)),
  )
  on(payoutFiles.rejectPayoutFileAs).serve(async ({ params, body }) =>
    fileForm(await rejectPayoutFile(deps, params.id, body)),
  )
  on(payoutFiles.decideFileRejectionAs).serve(async ({ params, body }) =>
    fileForm(await decideFileRejection(deps, params.id, body)),
  )
  on(payoutFiles.downloadPayoutFileAs).serve(async ({ params }) => {
    const { name, bytes } = await downloadPayoutFile(deps, params.id)
    return fileAnswer(name, bytes)
  })
  on(payoutFiles.setPayoutAccountAs).serve(({ params, body }) => setPayoutAccount(deps, params.id, body))
  on(payoutFiles.decideReturnAccountAs).serve(({ params, body }) =>
    decideReturnAccount(deps, params.id, body),
  )
}

async function columns(deps: Deps, rail: string) {
  if (!deps.rails.get(rail)?.bankAccount)
    throw new Problem('not-found', 'There is no rail with bank files of this name.')
  const history = await listColumns(deps.database.db, rail)
  return {
    columns: history[0]?.columns ?? null,
    history: history.map(({ columns, by, at }) => ({ columns, by, at: at.toISOString() })),
  }
}

async function setColumns(deps: Deps, rail: string, given: contracts.CsvColumns, by: string) {
  await columns(deps, rail)
  if ((given.amount === undefined) === (given.amountIn === undefined || given.amountOut === undefined)) {
    const message = 'is needed, or amountIn and amountOut'
    throw new Problem('validation-failed', `amount ${message}.`, { errors: [{ path: 'amount', message }] })
  }
  const [word] = wordsAssignedTwice(given)
  if (word !== undefined) {
    const message = `assigns “${word}” to more than one state`
    throw new Problem('validation-failed', `state ${message}.`, { errors: [{ path: 'state', message }] })
  }
  await addColumns(deps.database.db, rail, given, by)
  return columns(deps, rail)
}

const statementForm = (row: BankStatementRow & Kept): contracts.BankStatement => ({
  id: row.id,
  rail: row.rail,
  account: row.account,
  currency: row.currency,
  format: row.format,
  fileName: row.file_name,
  lines: row.lines,
  newLines: row.new_lines,
  notBooked: row.not_booked,
  possibleDuplicates: row.possible_duplicates,
  leftOut: row.left_out,
  sha256: row.digest.toString('hex'),
  hasFile: row.has_file,
  fileRemovedAt: row.file_removed_at?.toISOString() ?? null,
  bookedFrom: row.booked_from,
  bookedTo: row.booked_to,
  by: row.by,
  createdAt: row.created_at.toISOString(),
})

const fileForm = (file: ListedFile): payoutFiles.PayoutFile => ({
  id: file.id,
  rail: file.rail,
  code: file.code,
  format: file.format,
  fileName: file.file_name,
  sha256: file.digest.toString('hex'),
  payouts: file.payouts,
  ended: Number(file.ended),
  total: formatAmount(parseAmount(file.total)),
  currency: file.currency,
  status: file.state,
  createdBy: file.created_by,
  approvedBy: file.approved_by,
  approvedAt: file.approved_at?.toISOString() ?? null,
  downloadedAt: file.downloaded_at?.toISOString() ?? null,
  rejection: file.rejection && rejectionForm(file.rejection),
  createdAt: file.created_at.toISOString(),
  removedAt: file.removed_at?.toISOString() ?? null,
})

const rejectionForm = (row: PayoutFileRejection): NonNullable<payoutFiles.PayoutFile['rejection']> => ({
  status: row.state,
  reason: row.reason,
  requestedBy: row.requested_by,
  requestedAt: row.requested_at.toISOString(),
  decidedBy: row.decided_by,
  decidedAt: row.decided_at?.toISOString() ?? null,
})
