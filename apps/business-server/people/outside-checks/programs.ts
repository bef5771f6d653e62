import {
  type OutsideCheckKind,
  outsideCheckKinds,
  type OutsideChecks,
} from '@windlass/contracts/anchor/outside-checks.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { newWebhookSecret, requireWebhookUrl } from '@windlass/service/outbound/webhook-endpoints.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type Selectable } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { OutsideProgramTable, Tables } from '../../tables.ts'

export type Program = Selectable<OutsideProgramTable>
const contextOf = (id: string) => `outside-check:${id}`

export const sealedOutsideSecrets = sealedColumn({
  ...{ table: 'outside_check_programs', column: 'sealed_secret', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

/** The program of a kind, on or off; null: none was set. */
export async function findProgram(db: Db<Tables>, kind: OutsideCheckKind): Promise<Program | null> {
  const query = db.selectFrom('outside_check_programs').selectAll().where('kind', '=', kind)
  return (await query.orderBy('version', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** Whether any program is asked. */
export async function hasPrograms(db: Db<Tables>): Promise<boolean> {
  for (const kind of outsideCheckKinds) if ((await findProgram(db, kind))?.url) return true
  return false
}

export const secretOf = (sealer: Sealer, { id, sealed_secret }: Program): string =>
  sealed_secret ? sealer.open(sealed_secret, contextOf(id)) : ''

export async function listChecks(db: Db<Tables>): Promise<OutsideChecks> {
  const checks: OutsideChecks['checks'] = []
  for (const kind of outsideCheckKinds) {
    const program = await findProgram(db, kind)
    const { count, last } = await db
      .selectFrom('outside_check_answers')
      .select(({ fn }) => [fn.countAll<string>().as('count'), fn.max('answered_at').as('last')])
      .where('kind', '=', kind)
      .executeTakeFirstOrThrow()
    checks.push({
      ...{ kind, url: program?.url ?? null, version: program?.version ?? 0, by: program?.by ?? null },
      ...{ at: program?.at.toISOString() ?? null, answers: Number(count) },
      lastAnswerAt: last ? new Date(last).toISOString() : null,
    })
  }
  return { checks }
}

/**
 * Sets the program of a kind. One that takes the place of another has its secret.
 *
 * @returns the secret of one where there was none.
 * @throws {Problem} `settings-changed` where the version is not the newest, `validation-failed`.
 */
export async function setProgram(
  { database, sealer, config }: Pick<Deps, 'database' | 'sealer' | 'config'>,
  kind: OutsideCheckKind,
  { url, version, by }: { url: string | null; version: number; by: string },
): Promise<string | null> {
  if (url !== null) requireWebhookUrl(url, config.local)
  return database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`outside check ${kind}`}, 0))`.execute(tx)
    const before = await findProgram(tx, kind)
    if ((before?.version ?? 0) !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the check meanwhile. Look at it again, then repeat your change.',
      )
    const id = randomUUID()
    const kept = before?.url ? secretOf(sealer, before) : null
    const secret = url === null ? null : (kept ?? newWebhookSecret())
    await tx
      .insertInto('outside_check_programs')
      .values({
        ...{ id, kind, version: version + 1, url, by },
        sealed_secret: secret === null ? null : sealer.seal(secret, contextOf(id)),
      })
      .execute()
    return kept === null ? secret : null
  })
}
