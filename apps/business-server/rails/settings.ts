import { accountChecks } from '@windlass/contracts/platform/account-numbers.ts'
import {
  credentialFaults,
  credentialFields,
  DEFAULT_PROVIDER,
  isRailProvider,
  railProviders,
  wrongMode,
  type RailProviderName,
} from '@windlass/contracts/platform/rail-credentials.ts'
import { ConfigError, whereThere, type Env } from '@windlass/service/process/env.ts'
import { createHmac } from 'node:crypto'

/** The settings of one rail's adapter. */
export interface RailSettings {
  name: string
  provider: RailProviderName
  /** Any of them may have signed a webhook: two while one is rotated. */
  webhookSecrets: readonly string[]
  /** The accounts that earlier versions of the credentials named: deposits that were agreed then are paid to them. */
  earlierAccounts: readonly string[]
  /** The provider's fields of the contract, each checked; unknown and wrong ones are left out. */
  credentials: Readonly<Record<string, string>>
  /**
   * The field of the account that customers pay to that is wrong, or that a provider which moves money needs and has not:
   * nothing is put in its place, and nobody is asked to pay there. Null: the account can be true.
   */
  accountFault: string | null
}

interface Where {
  rails: readonly string[]
  mainnet: boolean
  /** Signs webhooks of simulated rails to which no secret was given. */
  fallbackSecret: string
}

/**
 * Reads RAIL_CREDENTIALS_FILE (or RAIL_CREDENTIALS): the JSON that the founder supplied. An object under a rail's name
 * (in any case, also within `credentials`) is for that rail, texts beside it are for all rails. No file: no
 * credentials. Without a provider a rail is simulated, which the public network refuses. A wrong account keeps no anchor
 * down, so that it still serves its other rails and pays what it owes.
 *
 * @throws {ConfigError} for what is not JSON; on the public network also for a missing provider or another wrong value.
 */
export function readRailSettings(env: Env, where: Where): ReadonlyMap<string, RailSettings> {
  const given = readCredentials(env)
  return new Map(where.rails.map(name => [name, settingsOf(name, given, where)]))
}

function settingsOf(name: string, given: Given, { mainnet, fallbackSecret }: Where): RailSettings {
  const all = credentialsFor(name, given)
  const named = all.provider?.toLowerCase() ?? DEFAULT_PROVIDER
  if (mainnet && !isRailProvider(named)) {
    throw new ConfigError(
      `This build has no adapter for the provider ${named.slice(0, 40)} of the rail ${name}.`,
    )
  }
  // On a test network a founder's mistake must not stop the anchor.
  const provider = isRailProvider(named) ? named : DEFAULT_PROVIDER
  if (mainnet && !railProviders[provider].publicNetwork) {
    throw new ConfigError(
      `The rail ${name} is simulated. The public network needs a provider that moves money: name it in the rail's credentials.`,
    )
  }
  const rail = name.toUpperCase()
  const faults = credentialFaults(rail, { ...all, provider }, accountChecks)
  const isAccount = (field: string) => credentialFields(provider, rail)[field]?.account === true
  const wrong = Object.entries(faults).find(([field]) => !isAccount(field))
  if (mainnet && wrong)
    throw new ConfigError(`${wrong[0]} in the credentials of the rail ${name} ${wrong[1]}`)
  const fields = Object.keys(credentialFields(provider, rail)).filter(each => !(each in faults))
  const credentials = Object.fromEntries(
    Object.entries(all).filter(([each]) => fields.includes(each) && each !== 'webhookSecret'),
  )
  const foreign = wrongMode(provider, credentials, mainnet)
  if (mainnet && foreign)
    throw new ConfigError(`${foreign} in the credentials of the rail ${name} is for test networks`)
  // Real money must not pay for what is worth nothing.
  if (foreign) delete credentials[foreign]
  const missing = missingCredentials(provider, rail, all)
  const lacked = missing.find(field => !isAccount(field))
  if (mainnet && lacked) throw new ConfigError(`${lacked} is missing in the credentials of the rail ${name}`)
  const own = createHmac('sha256', fallbackSecret).update(`rail:${name}`).digest('hex')
  const secrets = fields.includes('webhookSecret') ? all.webhookSecret?.split(',') : undefined
  return {
    name,
    provider,
    webhookSecrets: secrets?.map(each => each.trim()) ?? [own],
    credentials,
    earlierAccounts: accountsOf(earlierFor(name, given)).filter(each => !accountsOf([all]).includes(each)),
    accountFault: [...Object.keys(faults), ...missing].find(isAccount) ?? null,
  }
}

const missingCredentials = (
  provider: RailProviderName,
  rail: string,
  given: Readonly<Record<string, string>>,
): string[] =>
  Object.entries(credentialFields(provider, rail)).flatMap(([name, { required }]) =>
    required && !given[name] ? [name] : [],
  )

type Given = Readonly<Record<string, unknown>>

function readCredentials(env: Env): Given {
  const text = whereThere(env, 'RAIL_CREDENTIALS')
  if (!text) return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new ConfigError('RAIL_CREDENTIALS is not JSON.')
  }
  const { credentials, ...others } = objectOf(parsed)
  return { ...others, ...objectOf(credentials) }
}

/** The newest version of a rail's credentials, else those of the application. */
const credentialsFor = (name: string, given: Given): Record<string, string> =>
  versionsOf(name, given).at(-1) ?? ofApplication(name, given)

const earlierFor = (name: string, given: Given): Record<string, string>[] =>
  [ofApplication(name, given), ...versionsOf(name, given)].slice(0, -1)

const versionsOf = (name: string, { versions }: Given): Record<string, string>[] =>
  (Array.isArray(versions) ? versions : [])
    .map(objectOf)
    .filter(({ rail }) => typeof rail === 'string' && rail.toLowerCase() === name.toLowerCase())
    .map(({ credentials }) => textsOf(objectOf(credentials)))

function ofApplication(name: string, given: Given): Record<string, string> {
  const own = Object.entries(given).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
  return { ...textsOf(given), ...textsOf(objectOf(own)) }
}

const accountsOf = (credentials: readonly Record<string, string>[]): string[] => [
  ...new Set(
    credentials.flatMap(({ iban, accountNumber }) => {
      const account = (iban ?? accountNumber)?.replaceAll(/\s/g, '')
      return account ? [account] : []
    }),
  ),
]

const objectOf = (value: unknown): Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const textsOf = (given: Given): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  )
