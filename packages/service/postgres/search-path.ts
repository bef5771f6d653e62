import { DEAD_PEER_DETECTION } from './database.ts'

/**
 * An address whose connections find names in one schema and in Postgres' own, by default in that alone: for logins with
 * the rights of an owner or of a superuser in a database where others log in. Without it names are looked for in a schema that
 * is called as the role is, where someone with fewer rights may have put a function that fits better than Postgres' own.
 */
export function withSearchPath(address: string, schema = 'pg_catalog'): string {
  const url = new URL(address)
  const given = url.searchParams.get('options') ?? DEAD_PEER_DETECTION.options
  url.searchParams.set('options', [...(given ? [given] : []), `-c search_path=${schema}`].join(' '))
  // Postgres' own programs read no plus as a space.
  url.search = url.search.replaceAll('+', '%20')
  return url.href
}

/**
 * For who reads, with more rights, what others own: a view would run their functions. Postgres before 15.8, 16.4 and 17
 * does not know the setting.
 */
export const REFUSE_VIEWS = `select set_config(name, 'view, foreign-table', false) from pg_settings
  where name = 'restrict_nonsystem_relation_kind'`
