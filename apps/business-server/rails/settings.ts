import { ConfigError, whereThere, type Env } from '@windlass/service/env.ts'
import { createHmac } from 'node:crypto'
import { providers } from './adapters.ts'

/** What a rail's adapter is given. */
export interface RailSettings {
  name: string
  /** The adapter that speaks to the rail: `simulated`, or a provider's. */
  provider: string
  /** Any of them may have signed a webhook: two while one is rotated. */
  webhookSecrets: readonly string[]
  /** What the provider gave the anchor, texts by name; for the founder's own words nothing is promised. */
  credentials: Readonly<Record<string, string>>
}

interface Where {
  rails: readonly string[]
  mainnet: boolean
  /** Signs webhooks of simulated rails to which no secret was given. */
  fallbackSecret: string
}

/**
 * Reads RAIL_CREDENTIALS_FILE (or RAIL_CREDENTIALS): the JSON that the founder handed in for the rails. An object
 * under a rail's name (in any case, also within `credentials`) is for that rail, texts beside it for all of them;
 * `provider` chooses the adapter and `webhookSecret` checks its webhooks. A file that is not there means that there
 * are none. Without a provider a rail is simulated, but for the public network, where no simulated rail may stand
 * for money. Throws `ConfigError`.
 */
export function readRailSettings(env: Env, where: Where): ReadonlyMap<string, RailSettings> {
  const given = readCredentials(env)
  return new Map(where.rails.map(name => [name, settingsOf(name, given, where)]))
}

function settingsOf(name: string, given: Given, { mainnet, fallbackSecret }: Where): RailSettings {
  const credentials = credentialsFor(name, given)
  const provider = credentials.provider?.toLowerCase() ?? 'simulated'
  if (mainnet && provider === 'simulated') {
    throw new ConfigError(
      `the rail ${name} is simulated, which must not be on the public network: its credentials must name a provider`,
    )
  }
  // Elsewhere what a founder wrote must not keep the anchor down.
  if (mainnet && !providers.includes(provider)) {
    throw new ConfigError(
      `the rail ${name} needs an adapter for ${provider.slice(0, 40)}, which is not in this build`,
    )
  }
  const secrets = (credentials.webhookSecret ?? '').split(',').map(each => each.trim())
  const good = secrets.filter(each => each.length >= 16).slice(0, 2)
  const own = createHmac('sha256', fallbackSecret).update(`rail:${name}`).digest('hex')
  return {
    name,
    provider: providers.includes(provider) ? provider : 'simulated',
    webhookSecrets: good.length > 0 ? good : [own],
    credentials,
  }
}

type Given = Readonly<Record<string, unknown>>

function readCredentials(env: Env): Given {
  const text = whereThere(env, 'RAIL_CREDENTIALS')
  if (!text) return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new ConfigError('RAIL_CREDENTIALS is no JSON')
  }
  const { credentials, ...others } = objectOf(parsed)
  return { ...others, ...objectOf(credentials) }
}

function credentialsFor(name: string, given: Given): Record<string, string> {
  const own = Object.entries(given).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
  return { ...textsOf(given), ...textsOf(objectOf(own)) }
}

const objectOf = (value: unknown): Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const textsOf = (given: Given): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  )
