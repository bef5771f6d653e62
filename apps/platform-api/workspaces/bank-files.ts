import type { Client } from '@windlass/client/client.ts'
import * as bank from '@windlass/contracts/anchor/bank-files.ts'
import * as contracts from '@windlass/contracts/platform/workspace-bank-files.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { anchorServerOf, fromAnchor, page, passFile } from './anchor-server.ts'
import { recordedAct } from './recorded-act.ts'

/** A statement has up to 200,000 lines. */
const READING_MS = 120_000

interface Acting {
  userId: string
}

/** An anchor's statements and payout files, which its business server keeps. What changes them is recorded. */
export function bankFileRoutes(on: On, deps: Deps): void {
  const reader = (userId: string, anchorId: string) => anchorServerOf(deps, userId, anchorId)
  serveLists(on, reader)
  serveStatements(on, deps, reader)
  servePayoutFiles(on, deps)
}

type Reader = (userId: string, anchorId: string) => Promise<Client>

function serveLists(on: On, reader: Reader): void {
  on(contracts.listWorkspaceStatements).serve(async ({ params, query, principal, request, reply }) => {
    const server = await reader(principal.userId, params.anchorId)
    return page(server.send(bank.listStatements, { query }), request, reply)
  })
  on(contracts.listWorkspaceStatementLines).serve(async ({ params, query, principal, request, reply }) => {
    const server = await reader(principal.userId, params.anchorId)
    return page(server.send(bank.listStatementLines, { query }), request, reply)
  })
  on(contracts.listWorkspacePayouts).serve(async ({ params, query, principal, request, reply }) => {
    const server = await reader(principal.userId, params.anchorId)
    return page(server.send(bank.listWaitingPayouts, { query }), request, reply)
  })
  on(contracts.listWorkspacePayoutFiles).serve(async ({ params, query, principal, request, reply }) => {
    const server = await reader(principal.userId, params.anchorId)
    return page(server.send(bank.listPayoutFiles, { query }), request, reply)
  })
}

async function audit(
  deps: Deps,
  { userId }: Acting,
  anchorId: string,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  const act = { actor: `operator:${userId}`, action, subject: `anchor:${anchorId}`, details }
  await deps.database.db.transaction().execute(tx => record(tx, act, deps.clock.now()))
}

interface LineAct {
  done: string
  details: Record<string, unknown>
  call(): Promise<bank.StatementLine>
}

const actOnLine = (
  deps: Deps,
  { userId }: Acting,
  { anchorId, id }: { anchorId: string; id: string },
  { done, details, call }: LineAct,
): Promise<bank.StatementLine> =>
  recordedAct(deps, {
    ...{ userId, anchorId, about: 'statement-line', done, details: { id, ...details }, call },
    outcomeOf: ({ amount, currency, status, pending }) => ({
      isWaiting: Boolean(pending),
      details: { amount, currency, status },
    }),
  })

const by = ({ userId }: Acting) => ({ by: `operator:${userId}` })

function serveStatements(on: On, deps: Deps, reader: Reader): void {
  on(contracts.uploadWorkspaceStatement).serve(async ({ params, query, raw, principal }) => {
    const { anchorId, rail } = params
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const statement = await fromAnchor(
      server.call(bank.uploadStatementAs, {
        params: { rail },
        query: { ...query, ...by(principal) },
        body: raw,
        signal: AbortSignal.timeout(READING_MS),
      }),
    )
    const { id, fileName, lines, newLines } = statement
    await audit(deps, principal, anchorId, 'bank-statement.uploaded', { id, rail, fileName, lines, newLines })
    return answer(201, statement)
  })
  on(contracts.listWorkspaceLineCandidates).serve(async ({ params, principal }) => {
    const server = await reader(principal.userId, params.anchorId)
    return fromAnchor(server.call(bank.listLineCandidates, { params: { id: params.id } }))
  })
  on(contracts.listWorkspaceLineTwins).serve(async ({ params, principal }) => {
    const server = await reader(principal.userId, params.anchorId)
    return fromAnchor(server.call(bank.listLineTwins, { params: { id: params.id } }))
  })
  on(contracts.decideWorkspaceStatementLine).serve(async ({ params, body, principal }) => {
    const { anchorId, id } = params
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const { decision, as, transactionId, duplicateOf, reason } = body
    const what = {
      what: as ?? decision,
      ...(transactionId && { transactionId }),
      ...(duplicateOf && { duplicateOf }),
    }
    return actOnLine(deps, principal, params, {
      done: 'decided',
      details: { ...what, reason },
      call: () =>
        server.call(bank.decideStatementLineAs, { params: { id }, body: { ...body, ...by(principal) } }),
    })
  })
  on(contracts.approveWorkspaceStatementLine).serve(async ({ params, body, principal }) => {
    const { anchorId, id } = params
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    return actOnLine(deps, principal, params, {
      done: body.approve ? 'decision-approved' : 'decision-rejected',
      details: {},
      call: () =>
        server.call(bank.approveStatementLineAs, { params: { id }, body: { ...body, ...by(principal) } }),
    })
  })
  on(contracts.reverseWorkspaceStatementLine).serve(async ({ params, body, principal }) => {
    const { anchorId, id } = params
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    return actOnLine(deps, principal, params, {
      done: 'reversed',
      details: body,
      call: () =>
        server.call(bank.reverseStatementLineAs, { params: { id }, body: { ...body, ...by(principal) } }),
    })
  })
  on(contracts.getWorkspaceCsvColumns).serve(async ({ params, principal }) => {
    const server = await reader(principal.userId, params.anchorId)
    return fromAnchor(server.call(bank.getCsvColumns, { params: { rail: params.rail } }))
  })
  on(contracts.previewWorkspaceCsvStatement).serve(async ({ params, body, principal }) => {
    const server = await reader(principal.userId, params.anchorId)
    const { rail } = params
    const signal = AbortSignal.timeout(READING_MS)
    return fromAnchor(server.call(bank.previewCsvStatement, { params: { rail }, body, signal }))
  })
  on(contracts.setWorkspaceCsvColumns).serve(async ({ params: { anchorId, rail }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const saved = await fromAnchor(
      server.call(bank.setCsvColumnsAs, { params: { rail }, body: { columns: body, ...by(principal) } }),
    )
    await audit(deps, principal, anchorId, 'csv-columns.changed', { rail, ...body })
    return saved
  })
}

function servePayoutFiles(on: On, deps: Deps): void {
  on(contracts.setWorkspacePayoutAccount).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const payout = await fromAnchor(
      server.call(bank.setPayoutAccountAs, { params: { id }, body: { ...body, ...by(principal) } }),
    )
    // The account itself is a customer's and stays at the anchor.
    await audit(deps, principal, anchorId, 'payout.account-added', { id, end: body.dest?.slice(-4) ?? null })
    return payout
  })
  on(contracts.decideWorkspaceReturnAccount).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const payout = await fromAnchor(
      server.call(bank.decideReturnAccountAs, { params: { id }, body: { ...body, ...by(principal) } }),
    )
    const action = body.approve ? 'payout.account-approved' : 'payout.account-dismissed'
    await audit(deps, principal, anchorId, action, { id: payout.id, wish: id })
    return payout
  })
  on(contracts.getWorkspacePayoutSheet).serve(async ({ params: { anchorId, id }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const sheet = await fromAnchor(server.call(bank.getPayoutSheetAs, { params: { id } }))
    await audit(deps, principal, anchorId, 'payout-file.seen', { id, sheet: sheet.sheet })
    return sheet
  })
  on(contracts.createWorkspacePayoutFile).serve(async ({ params: { anchorId, rail }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const file = await fromAnchor(
      server.call(bank.createPayoutFileAs, { params: { rail }, body: by(principal) }),
    )
    await audit(deps, principal, anchorId, 'payout-file.created', factsOf(file))
    return answer(201, file)
  })
  on(contracts.approveWorkspacePayoutFile).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const file = await fromAnchor(
      server.call(bank.approvePayoutFileAs, { params: { id }, body: { ...body, ...by(principal) } }),
    )
    await audit(deps, principal, anchorId, 'payout-file.approved', { ...factsOf(file), ...body })
    return file
  })
  on(contracts.cancelWorkspacePayoutFile).serve(async ({ params: { anchorId, id }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const file = await fromAnchor(server.call(bank.cancelPayoutFileAs, { params: { id } }))
    await audit(deps, principal, anchorId, 'payout-file.canceled', factsOf(file))
    return file
  })
  on(contracts.rejectWorkspacePayoutFile).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const file = await fromAnchor(
      server.call(bank.rejectPayoutFileAs, { params: { id }, body: { ...body, ...by(principal) } }),
    )
    await audit(deps, principal, anchorId, 'payout-file.rejection-requested', { ...factsOf(file), ...body })
    return file
  })
  on(contracts.decideWorkspaceFileRejection).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const file = await fromAnchor(
      server.call(bank.decideFileRejectionAs, { params: { id }, body: { ...body, ...by(principal) } }),
    )
    const action = body.approve ? 'payout-file.rejected' : 'payout-file.rejection-dismissed'
    await audit(deps, principal, anchorId, action, factsOf(file))
    return file
  })
  on(contracts.downloadWorkspacePayoutFile).serve(async ({ params: { anchorId, id }, principal, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const signal = AbortSignal.timeout(READING_MS)
    const file = await fromAnchor(server.open(bank.downloadPayoutFileAs, { params: { id }, signal }))
    await audit(deps, principal, anchorId, 'payout-file.downloaded', { id })
    return passFile(reply, file, `payout-file-${id}`)
  })
}

const factsOf = ({ id, rail, code, payouts, total, currency, sha256 }: bank.PayoutFile) => ({
  ...{ id, rail, code, payouts, total, currency, sha256 },
})
