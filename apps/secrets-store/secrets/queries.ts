import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../database.ts'
import type { Secret, Version } from './table.ts'

const ARN_WITHOUT_SUFFIX = /-[A-Za-z0-9]{6}$/

/** By name, ARN, or ARN without its random suffix. `lock` keeps other writers away until the transaction ends. */
export async function findSecret(db: Db<Tables>, id: string, lock = false): Promise<Secret | undefined> {
  let query = db.selectFrom('secrets').selectAll()
  if (id.startsWith('arn:')) {
    query = query.where(eb => eb.or([eb('arn', '=', id), eb(sql<string>`left(arn, -7)`, '=', id)]))
  } else query = query.where('name', '=', id)
  // A complete ARN may be another one's beginning: the exact one comes first.
  query = query.orderBy(sql`arn = ${id}`, 'desc').limit(1)
  return (lock ? query.forUpdate() : query).executeTakeFirst()
}

export function nameInArn(id: string): string {
  return id.startsWith('arn:') ? id.split(':').slice(6).join(':').replace(ARN_WITHOUT_SUFFIX, '') : id
}

export async function insertSecret(
  db: Db<Tables>,
  secret: Pick<Secret, 'arn' | 'name' | 'description' | 'kms_key_id' | 'tags' | 'created_at'>,
): Promise<void> {
  await db
    .insertInto('secrets')
    .values({ ...secret, tags: JSON.stringify(secret.tags), changed_at: secret.created_at })
    .execute()
}

export function findVersion(db: Db<Tables>, arn: string, versionId: string): Promise<Version | undefined> {
  return db
    .selectFrom('versions')
    .selectAll()
    .where('arn', '=', arn)
    .where('version_id', '=', versionId)
    .executeTakeFirst()
}

export async function versionAtStage(
  db: Db<Tables>,
  arn: string,
  stage: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('stages')
    .select('version_id')
    .where('arn', '=', arn)
    .where('stage', '=', stage)
    .executeTakeFirst()
  return row?.version_id
}

export async function stagesOfVersion(db: Db<Tables>, arn: string, versionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('stages')
    .select('stage')
    .where('arn', '=', arn)
    .where('version_id', '=', versionId)
    .orderBy('stage')
    .execute()
  return rows.map(row => row.stage)
}

/** `{versionId: [stage, …]}` of each secret, for the versions that have a stage. */
export async function stagesBySecret(
  db: Db<Tables>,
  arns: string[],
): Promise<Map<string, Record<string, string[]>>> {
  if (arns.length === 0) return new Map()
  const rows = await db.selectFrom('stages').selectAll().where('arn', 'in', arns).orderBy('stage').execute()
  const found = new Map<string, Record<string, string[]>>()
  for (const { arn, version_id, stage } of rows) {
    const versions = found.get(arn) ?? {}
    versions[version_id] = [...(versions[version_id] ?? []), stage]
    found.set(arn, versions)
  }
  return found
}

/** Puts a stage on a version, taking it off the one that had it. */
export async function moveStage(
  db: Db<Tables>,
  arn: string,
  stage: string,
  versionId: string,
): Promise<void> {
  await db
    .insertInto('stages')
    .values({ arn, stage, version_id: versionId })
    .onConflict(conflict => conflict.columns(['arn', 'stage']).doUpdateSet({ version_id: versionId }))
    .execute()
}

export async function removeStage(db: Db<Tables>, arn: string, stage: string): Promise<void> {
  await db.deleteFrom('stages').where('arn', '=', arn).where('stage', '=', stage).execute()
}

/** Versions without a stage beyond the newest hundred, a day after they were made (as AWS does). */
export async function removeOutdated(db: Db<Tables>, arn: string, before: Date): Promise<void> {
  await sql`
    delete from versions where arn = ${arn} and created_at < ${before}
      and version_id not in (select version_id from stages where arn = ${arn})
      and version_id not in (
        select version_id from versions where arn = ${arn} order by created_at desc limit 100)`.execute(db)
}
