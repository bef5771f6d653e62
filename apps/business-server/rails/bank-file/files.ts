import type { Binder, BoundRow } from '@windlass/service/seals/binding.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type Insertable } from 'kysely'
import { bindListed } from '../../bind-listed.ts'
import type { Deps } from '../../deps.ts'
import { bindFact, type FactKind, forgetFact } from '../../money/bound-facts/bound-facts.ts'
import { after } from '../../paging.ts'
import type { BankPayout, PayoutFile, PayoutFileRejection, Tables } from '../../tables.ts'
import { payoutFileCode } from './payouts.ts'

const contextOf = (code: string) => `payout-file:${code}`

export const sealFile = (sealer: Sealer, code: string, content: string): Buffer =>
  sealer.seal(content, contextOf(code))

/** Empty where retention removed it. Throws where the key does not fit. */
export const openFile = (sealer: Sealer, { code, sealed }: Pick<PayoutFile, 'code' | 'sealed'>): string =>
  sealed ? sealer.open(sealed, contextOf(code)) : ''

const sheetContext = (code: string) => `payout-sheet:${code}`

export const sealSheet = (sealer: Sealer, code: string, sheet: string): Buffer =>
  sealer.seal(sheet, sheetContext(code))

/** Throws where the key does not fit. */
export const openSheet = (
  sealer: Sealer,
  { code, sealed_sheet: sealed }: { code: string; sealed_sheet: Buffer },
): string => sealer.open(sealed, sheetContext(code))

export const sealedFiles = sealedColumn({
  ...{ table: 'payout_files', column: 'sealed', key: ['code'] },
  contextOf: ({ code }) => contextOf(code),
})

export const sealedSheets = sealedColumn({
  ...{ table: 'payout_files', column: 'sealed_sheet', key: ['code'] },
  contextOf: ({ code }) => sheetContext(code),
})

/** The newest files of a rail that were approved and have a sheet. */
export function approvedFiles(tx: Db<Tables>, rail: string, limit: number): Promise<PayoutFile[]> {
  return tx
    .selectFrom('payout_files')
    .selectAll()
    .where('rail', '=', rail)
    .where('approved_at', 'is not', null)
    .where('sealed_sheet', 'is not', null)
    .orderBy('approved_at', 'desc')
    .limit(limit)
    .execute()
}

const MOST_IN_A_FILE = 1_000

/** Payouts of a rail that are in no file, the oldest first, locked. Files of a rail are made one after the other. */
export async function lockWaiting(tx: Db<Tables>, rail: string): Promise<BankPayout[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`payout files ${rail}`}, 0))`.execute(tx)
  return waiting(tx)
    .where('rail', '=', rail)
    .orderBy('created_at')
    .orderBy('id')
    .limit(MOST_IN_A_FILE)
    .forUpdate()
    .execute()
}

const waiting = (db: Db<Tables>) =>
  db.selectFrom('bank_payouts').selectAll().where('file_id', 'is', null).where('ended_at', 'is', null)

export function listWaiting(db: Db<Tables>, page: PageQuery): Promise<BankPayout[]> {
  const start = pageStart(page)
  let query = waiting(db)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

/** The code of a file of these payouts that no earlier file has. */
export async function unusedCode(tx: Db<Tables>, payouts: readonly { id: string }[]): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const code = payoutFileCode(payouts, attempt)
    const used = await tx.selectFrom('payout_files').select('id').where('code', '=', code).executeTakeFirst()
    if (!used) return code
  }
}

type NewFile = Omit<
  Insertable<PayoutFile>,
  'id' | 'state' | 'approved_by' | 'approved_at' | 'approval' | 'downloaded_at' | 'created_at' | 'removed_at'
> & { sealed: Buffer }

export async function addFile(
  tx: Db<Tables>,
  file: NewFile,
  payouts: readonly string[],
): Promise<PayoutFile> {
  const row = await tx
    .insertInto('payout_files')
    .values({ ...file, approved_by: null, approved_at: null, approval: null, downloaded_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()
  const moved = await tx
    .updateTable('bank_payouts')
    .set({ file_id: row.id })
    .where('id', 'in', payouts)
    .where('file_id', 'is', null)
    .executeTakeFirst()
  if (moved.numUpdatedRows !== BigInt(payouts.length)) throw new Error('a payout is in another file')
  return row
}

/** With how many of their payouts have ended, and the newest rejection. */
export type ListedFile = PayoutFile & { ended: string; rejection: PayoutFileRejection | null }

const listed = (db: Db<Tables>) =>
  db
    .selectFrom('payout_files')
    .selectAll()
    .select(eb =>
      eb
        .selectFrom('bank_payouts')
        .select(({ fn }) => fn.countAll<string>().as('ended'))
        .whereRef('file_id', '=', 'payout_files.id')
        .where('ended_at', 'is not', null)
        .as('ended'),
    )

export async function listFiles(db: Db<Tables>, page: PageQuery): Promise<ListedFile[]> {
  const start = pageStart(page)
  let query = listed(db)
  if (start) query = query.where(after(start))
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
  const rejections = await newestRejections(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map(row => ({ ...row, ended: row.ended ?? '0', rejection: rejections.get(row.id) ?? null }))
}

async function newestRejections(
  db: Db<Tables>,
  files: readonly string[],
): Promise<ReadonlyMap<string, PayoutFileRejection>> {
  if (files.length === 0) return new Map()
  const rows = await db
    .selectFrom('payout_file_rejections')
    .selectAll()
    .where('file_id', 'in', files)
    .orderBy('requested_at')
    .orderBy('id')
    .execute()
  return new Map(rows.map(row => [row.file_id, row] as const))
}

/** Throws `payout-file-not-found`. */
export async function findFile(db: Db<Tables>, id: string): Promise<ListedFile> {
  const row = await listed(db)
    .where(sql`id::text`, '=', id)
    .executeTakeFirst()
  if (!row) throw new Problem('payout-file-not-found', 'There is no payout file with this id.')
  const rejections = await newestRejections(db, [row.id])
  return { ...row, ended: row.ended ?? '0', rejection: rejections.get(row.id) ?? null }
}

/** Throws `payout-file-not-found`. */
export async function lockFile(tx: Db<Tables>, id: string): Promise<PayoutFile> {
  const query = tx
    .selectFrom('payout_files')
    .selectAll()
    .where(sql`id::text`, '=', id)
  const row = await query.forUpdate().executeTakeFirst()
  if (!row) throw new Problem('payout-file-not-found', 'There is no payout file with this id.')
  return row
}

/** Who made a file and who approved which content of it. */
const approvalOf = (file: PayoutFile, approvedBy: string | null): BoundRow => [
  ...['payout_files', file.id, file.code, file.rail, file.digest.toString('hex')],
  ...[file.sheet_digest?.toString('hex') ?? null, file.created_by, approvedBy],
]

export async function approve(tx: Db<Tables>, binder: Binder, file: PayoutFile, by: string): Promise<void> {
  const approval = binder.bind(approvalOf(file, by))
  await tx
    .updateTable('payout_files')
    .set({ state: 'approved', approved_by: by, approved_at: sql<Date>`clock_timestamp()`, approval })
    .where('id', '=', file.id)
    .execute()
}

/** Whether this server took the approval that the row has. */
export const isApproved = (binder: Binder, file: PayoutFile): boolean =>
  file.state === 'approved' && binder.isBound(file.approval, approvalOf(file, file.approved_by))

/** Binds the approvals of earlier releases that the migration listed. */
export async function bindEarlierApprovals(
  deps: Pick<Deps, 'database' | 'binder' | 'logger'>,
): Promise<void> {
  await bindListed(deps, { table: 'files_to_bind', column: 'file_id' }, async (tx, id) => {
    const file = await tx
      .selectFrom('payout_files')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const approval = deps.binder.bind(approvalOf(file, file.approved_by))
    await tx.updateTable('payout_files').set({ approval }).where('id', '=', id).execute()
    await tx.deleteFrom('files_to_bind').where('file_id', '=', id).execute()
  })
}

/** Binds approvals under the newest key. */
export async function bindApprovalsAgain({
  database: { db },
  binder,
  config,
}: Pick<Deps, 'database' | 'binder' | 'config'>): Promise<void> {
  const [newest = 0] = config.bindingKeys.keys()
  const older = (tx: Db<Tables>) =>
    tx
      .selectFrom('payout_files')
      .where('state', '=', 'approved')
      .where(sql<boolean>`substring(approval for 1) <> ${Buffer.from([newest])}`)
  for (const { id } of await older(db).select('id').execute())
    await db.transaction().execute(async tx => {
      const file = await older(tx).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
      if (!file || !isApproved(binder, file)) return
      const approval = binder.bind(approvalOf(file, file.approved_by))
      await tx.updateTable('payout_files').set({ approval }).where('id', '=', id).execute()
    })
}

/** Cancels the file; its payouts wait for another one. */
export async function cancel(tx: Db<Tables>, id: string): Promise<void> {
  await tx.updateTable('payout_files').set({ state: 'canceled' }).where('id', '=', id).execute()
  await tx.updateTable('bank_payouts').set({ file_id: null }).where('file_id', '=', id).execute()
}

/** Writes down that the bank rejected a file, for a second person; the caller has locked the file. */
export async function addRejection(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  rejection: Pick<PayoutFileRejection, 'file_id' | 'reason' | 'requested_by'>,
): Promise<void> {
  const query = tx.insertInto('payout_file_rejections').values(rejection).returning('id')
  const { id } = await query.executeTakeFirstOrThrow()
  await bindFact(deps, tx, saidRejections, id)
}

/** What someone said of the bank, while it waits for a second person. */
export const saidRejections: FactKind = {
  kind: 'file-rejection',
  rowOf: async (_, tx, id) => {
    const query = tx.selectFrom('payout_file_rejections').selectAll().where('id', '=', id)
    const row = await query.executeTakeFirst()
    return row ? [row.file_id, row.reason, row.requested_by] : null
  },
}

/** Null: none waits. */
export async function waitingRejection(tx: Db<Tables>, fileId: string): Promise<PayoutFileRejection | null> {
  const query = tx.selectFrom('payout_file_rejections').selectAll().where('file_id', '=', fileId)
  return (await query.where('state', '=', 'waiting').executeTakeFirst()) ?? null
}

export const filesWaiting = scalar(
  sql<number>`select count(*) from payout_files where state = 'created'`,
  Number,
)

export const rejectionsWaiting = scalar(
  sql<number>`select count(*) from payout_file_rejections where state = 'waiting'`,
  Number,
)

export async function decideRejection(
  tx: Db<Tables>,
  { id }: PayoutFileRejection,
  state: 'done' | 'dismissed',
  by: string,
): Promise<void> {
  await tx
    .updateTable('payout_file_rejections')
    .set({ state, decided_by: by, decided_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute()
  await forgetFact(tx, saidRejections, id)
}

/** Its payouts that have not ended wait for another file. Their rows, and those of the file, are locked by the caller. */
export async function reject(tx: Db<Tables>, id: string): Promise<void> {
  await tx.updateTable('payout_files').set({ state: 'rejected' }).where('id', '=', id).execute()
  await tx
    .insertInto('rejected_payouts')
    .columns(['file_id', 'payout_id'])
    .expression(eb =>
      eb
        .selectFrom('bank_payouts')
        .select(['file_id', 'id'])
        .where('file_id', '=', id)
        .where('ended_at', 'is', null),
    )
    .execute()
  await tx
    .updateTable('bank_payouts')
    .set({ file_id: null })
    .where('file_id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}

export async function noteDownload(tx: Db<Tables>, id: string): Promise<void> {
  await tx
    .updateTable('payout_files')
    .set({ downloaded_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('downloaded_at', 'is', null)
    .execute()
}

const accountContext = (id: string) => `bank-payout:${id}`

export const sealedPayoutAccounts = sealedColumn({
  ...{ table: 'bank_payouts', column: 'sealed_destination', key: ['id'] },
  contextOf: ({ id }) => accountContext(id),
})

/** The account of a return, or the holder of a payout's account, that an operator added; null: none. */
export const openAccount = (
  sealer: Sealer,
  { id, sealed_destination: sealed }: BankPayout,
): Record<string, string> | null =>
  sealed && (JSON.parse(sealer.open(sealed, accountContext(id))) as Record<string, string>)

/** Gives a payout or return another account. The caller has locked it. */
export async function setAccount(
  tx: Db<Tables>,
  sealer: Sealer,
  id: string,
  destination: Readonly<Record<string, string>>,
): Promise<void> {
  await tx
    .updateTable('bank_payouts')
    .set({ sealed_destination: sealer.seal(JSON.stringify(destination), accountContext(id)) })
    .where('id', '=', id)
    .execute()
}

/** Null: there is none with this id. */
export async function findWaiting(db: Db<Tables>, id: string): Promise<BankPayout | null> {
  return (
    (await waiting(db)
      .where(sql`id::text`, '=', id)
      .executeTakeFirst()) ?? null
  )
}

/** As {@link findWaiting}, locked: no file takes it meanwhile. */
export async function lockWaitingPayout(tx: Db<Tables>, id: string): Promise<BankPayout | null> {
  const query = waiting(tx).where(sql`id::text`, '=', id)
  return (await query.forUpdate().executeTakeFirst()) ?? null
}
