import type { Db } from '@windlass/service/database.ts'
import { type Expression, sql, type SqlBool } from 'kysely'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { notFound, Refusal } from '../protocol/refusal.ts'
import type { ListSecrets, ListSecretVersionIds, OneSecret } from './inputs.ts'
import { findSecret, stagesBySecret } from './queries.ts'
import type { Secret } from './table.ts'
import { seconds, secondsOfDay } from './times.ts'

export async function describeSecret(deps: Deps, input: OneSecret): Promise<object> {
  const { db } = deps.database
  const secret = await findSecret(db, input.SecretId)
  if (!secret) throw notFound()
  const stages = await stagesBySecret(db, [secret.arn])
  return { ...entry(secret), VersionIdsToStages: stages.get(secret.arn) ?? {} }
}

export async function listVersions(deps: Deps, input: ListSecretVersionIds): Promise<object> {
  const { db } = deps.database
  const secret = await findSecret(db, input.SecretId)
  if (!secret) throw notFound()
  const stages = (await stagesBySecret(db, [secret.arn])).get(secret.arn) ?? {}
  const versions = await db
    .selectFrom('versions')
    .select(['version_id', 'created_at'])
    .where('arn', '=', secret.arn)
    .orderBy('created_at', 'desc')
    .execute()
  const shown = versions.filter(({ version_id }) => input.IncludeDeprecated || stages[version_id])
  return {
    ARN: secret.arn,
    Name: secret.name,
    Versions: shown.map(({ version_id, created_at }) => ({
      VersionId: version_id,
      VersionStages: stages[version_id] ?? [],
      CreatedDate: seconds(created_at),
    })),
  }
}

// What each order sorts by, as text so that one cursor serves them all.
const orders = {
  'created-date': sql<string>`to_char(created_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS')`,
  'last-changed-date': sql<string>`to_char(changed_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS')`,
  'last-accessed-date': sql<string>`coalesce(accessed_on, '')`,
  name: sql<string>`name collate "C"`,
} as const

/** Newest first unless told; `NextToken` goes on after the last secret of a page whatever has changed since. */
export async function listSecrets(deps: Deps, input: ListSecrets): Promise<object> {
  const { db } = deps.database
  const limit = input.MaxResults ?? 100
  const rows = await page(db, input, limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const stages = await stagesBySecret(
    db,
    shown.map(row => row.arn),
  )
  return {
    SecretList: shown.map(row => ({ ...entry(row), SecretVersionsToStages: stages.get(row.arn) ?? {} })),
    ...(rows.length > limit && last ? { NextToken: writeToken([last.sorted, last.arn]) } : {}),
  }
}

async function page(
  db: Db<Tables>,
  input: ListSecrets,
  limit: number,
): Promise<(Secret & { sorted: string })[]> {
  const direction = input.SortOrder ?? 'desc'
  const sorted = orders[input.SortBy ?? 'created-date']
  let query = db.selectFrom('secrets').selectAll().select(sorted.as('sorted'))
  if (!input.IncludePlannedDeletion) query = query.where('delete_after', 'is', null)
  for (const { Key, Values } of input.Filters ?? []) {
    query = query.where(eb => eb.or(Values.map(value => filter(Key, value))))
  }
  if (input.NextToken) {
    const [value, arn] = readToken(input.NextToken)
    const sign = sql.raw(direction === 'asc' ? '>' : '<')
    query = query.where(sql<SqlBool>`(${sorted} collate "C", arn collate "C") ${sign} (${value}, ${arn})`)
  }
  return query
    .orderBy(sql`${sorted} collate "C"`, direction)
    .orderBy(sql`arn collate "C"`, direction)
    .limit(limit)
    .execute()
}

type FilterKey = NonNullable<ListSecrets['Filters']>[number]['Key']

/** One value of a filter; `!` in front negates it. */
function filter(key: FilterKey, value: string): Expression<SqlBool> {
  if (value.startsWith('!') && value.length > 1) return sql<SqlBool>`not ${filter(key, value.slice(1))}`
  const lower = value.toLowerCase()
  switch (key) {
    case 'name':
      return sql<SqlBool>`starts_with(name, ${value})`
    case 'description':
      return sql<SqlBool>`starts_with(lower(coalesce(description, '')), ${lower})`
    case 'tag-key':
      return sql<SqlBool>`exists (select from jsonb_array_elements(tags) t where starts_with(t->>'Key', ${value}))`
    case 'tag-value':
      return sql<SqlBool>`exists (select from jsonb_array_elements(tags) t where starts_with(t->>'Value', ${value}))`
    case 'all':
      return sql<SqlBool>`strpos(lower(name || ' ' || coalesce(description, '') || ' ' || tags::text), ${lower}) > 0`
    default:
      // No secret here belongs to another service or region.
      return sql<SqlBool>`false`
  }
}

function entry(secret: Secret) {
  return {
    ARN: secret.arn,
    Name: secret.name,
    ...(secret.description === null ? {} : { Description: secret.description }),
    ...(secret.kms_key_id === null ? {} : { KmsKeyId: secret.kms_key_id }),
    CreatedDate: seconds(secret.created_at),
    LastChangedDate: seconds(secret.changed_at),
    ...(secret.accessed_on ? { LastAccessedDate: secondsOfDay(secret.accessed_on) } : {}),
    ...(secret.delete_after ? { DeletedDate: seconds(secret.delete_after) } : {}),
    Tags: secret.tags,
  }
}

const writeToken = (position: [string, string]) => Buffer.from(JSON.stringify(position)).toString('base64url')

function readToken(token: string): [string, string] {
  try {
    const position: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    const [value, arn] = Array.isArray(position) ? position : []
    if (typeof value === 'string' && typeof arn === 'string' && !/\0/.test(value + arn)) return [value, arn]
  } catch {
    // Told below.
  }
  throw new Refusal('InvalidNextTokenException', 'The NextToken value is invalid.')
}
