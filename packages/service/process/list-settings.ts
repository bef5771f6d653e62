import { type ListId, listIds } from '@windlass/contracts/anchor/compliance.ts'
import { ConfigError, integer, optional, type Env } from './env.ts'

export interface ListSettings {
  /** Addresses of the lists that are fetched. People load the others. */
  urls: ReadonlyMap<ListId, string>
  /** Days after which a list that nobody loaded or found unchanged is too old. */
  maxAgeDays: number
  /** What payments on the public network do while no list is loaded. */
  without: 'wait' | 'pass'
}

const NAMES = ['SANCTIONS_LIST_URLS', 'SANCTIONS_LIST_MAX_AGE_DAYS', 'SCREENING_WITHOUT_LIST'] as const

const FIRST_MAX_AGE_DAYS = 7

/**
 * The settings as they are given to anchors' servers.
 *
 * @throws {ConfigError}
 */
export function givenListSettings(env: Env, where: { local: boolean }): Record<string, string> {
  readListSettings(env, where)
  return Object.fromEntries(
    NAMES.flatMap(name => {
      const value = optional(env, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** @throws {ConfigError} */
export function readListSettings(env: Env, { local }: { local: boolean }): ListSettings {
  const maxAgeDays = integer(env, 'SANCTIONS_LIST_MAX_AGE_DAYS', FIRST_MAX_AGE_DAYS)
  if (maxAgeDays < 1) throw new ConfigError('SANCTIONS_LIST_MAX_AGE_DAYS must be at least 1')
  const without = optional(env, 'SCREENING_WITHOUT_LIST') ?? 'wait'
  if (without !== 'wait' && without !== 'pass')
    throw new ConfigError('SCREENING_WITHOUT_LIST must be wait or pass')
  return { urls: urlsIn(optional(env, 'SANCTIONS_LIST_URLS') ?? '', local), maxAgeDays, without }
}

function urlsIn(text: string, local: boolean): Map<ListId, string> {
  const pairs = text
    .split(',')
    .map(each => each.trim())
    .filter(Boolean)
    .map(each => {
      const at = each.indexOf('=')
      const [id, url] = [listIds.find(known => known === each.slice(0, at).trim()), each.slice(at + 1).trim()]
      if (id === undefined || !isListUrl(url, local))
        throw new ConfigError(
          `SANCTIONS_LIST_URLS must be lists with their addresses, such as un-consolidated=https://…, separated by commas; lists are ${listIds.join(', ')}`,
        )
      return [id, url] as const
    })
  const urls = new Map(pairs)
  if (urls.size !== pairs.length) throw new ConfigError('SANCTIONS_LIST_URLS names a list twice')
  return urls
}

/** What a list says decides who is paid: it comes by https. */
export const isListUrl = (url: string, local: boolean): boolean =>
  URL.canParse(url) && (new URL(url).protocol === 'https:' || (local && new URL(url).protocol === 'http:'))
