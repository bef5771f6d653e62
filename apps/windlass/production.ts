import { flag, optional } from '@windlass/service/process/env.ts'
import { weaknessOfAdministrator } from '@windlass/service/http/password-strength.ts'
import type { Variables } from './base-env.ts'
import { SETTINGS } from './settings-list.ts'
import { PUBLIC_NETWORK } from '@windlass/stellar/network.ts'

/** A setting that production requires. */
interface Undecided {
  name: string
  /** Continues the name: `is not set`. */
  problem: string
  /** What a good value is. */
  decide: string
}

/**
 * Settings that are missing or still have a developer's value. The base env file generated for DEPLOYMENT=local does
 * not count: its values are for one machine.
 */
export function undecidedSettings(baseEnv: Variables, given: Variables): Undecided[] {
  const decided = baseEnv.DEPLOYMENT === 'local' ? given : { ...baseEnv, ...given }
  const undecided = SETTINGS.flatMap(({ name, decide }) => {
    if (decide === undefined) return []
    const problem = problemOf(name, decided)
    return problem === null ? [] : [{ name, problem, decide }]
  })
  return [...undecided, ...ofTheProvider(decided), ...ofThePublicNetwork({ ...baseEnv, ...given })]
}

/** What Didit needs. */
function ofTheProvider(decided: Variables): Undecided[] {
  if (decided.KYC_PROVIDER === 'mock') return []
  return [
    ...unset(decided, 'PROVIDER_API_KEY', 'the API key that the provider shows'),
    ...unset(decided, 'PROVIDER_WORKFLOW_ID', 'the id of your workflow at the provider'),
  ]
}

const unset = (variables: Variables, name: string, decide: string): Undecided[] =>
  variables[name] || variables[`${name}_FILE`] ? [] : [{ name, problem: 'is not set', decide }]

const PUBLIC_PAGES = ['FOUNDER_CONSOLE_URL', 'ADMIN_CONSOLE_URL', 'CUSTOMER_PORTAL_URL']

function ofThePublicNetwork(variables: Variables): Undecided[] {
  if (!flag(variables, 'IS_MAINNET')) return []
  const { NETWORK_PASSPHRASE: passphrase } = variables
  const isOther = passphrase && passphrase !== PUBLIC_NETWORK
  const other = { name: 'NETWORK_PASSPHRASE', problem: `is "${passphrase}"`, decide: PUBLIC_NETWORK }
  return [
    ...unset(
      variables,
      'FUNDING_ACCOUNT',
      'the seed of an account with XLM: the public network has no faucet',
    ),
    ...(variables.SECOND_RPC_URL
      ? []
      : unset(
          variables,
          'SECOND_HORIZON_URL',
          'a Horizon of someone else than HORIZON_URL, so that no single server’s word moves money; or SECOND_RPC_URL',
        )),
    ...(isOther ? [other] : unset(variables, 'NETWORK_PASSPHRASE', PUBLIC_NETWORK)),
    ...anchorRuntime(variables),
  ]
}

/** On the public network the control plane starts anchors' servers in containers alone. */
function anchorRuntime(variables: Variables): Undecided[] {
  const runtime = optional(variables, 'ANCHOR_RUNTIME')
  if (runtime === 'docker' || runtime === 'swarm') return []
  return [
    {
      name: 'ANCHOR_RUNTIME',
      problem: runtime === undefined ? 'is not set' : `is "${runtime}"`,
      decide:
        'docker, because on the public network anchors must not share a system (npm run stack:up sets it)',
    },
  ]
}

function problemOf(name: string, decided: Variables): string | null {
  // A mock that was allowed on purpose, for a public trial on a test network, needs no webhook secret.
  if (name === 'PROVIDER_WEBHOOK_SECRET' && decided.KYC_PROVIDER === 'mock') return null
  if (decided[`${name}_FILE`]) return null
  const value = decided[name]
  if (!value) return 'is not set'
  if (name === 'ADMIN_PASSWORD') return weaknessOfAdministrator(value, [decided.ADMIN_USERNAME ?? ''])
  if (/localhost|127\.0\.0\.1/.test(value)) return `is "${value}", which only this machine can reach`
  return flawIn(name, value, decided.ANCHOR_DOMAIN_SUFFIX ?? '')
}

const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i

/** What parts cannot notice by themselves. */
function flawIn(name: string, value: string, anchors: string): string | null {
  if (name === 'ANCHOR_DOMAIN_SUFFIX' && !DOMAIN.test(value)) return `is "${value}", which is no domain`
  if (name === 'MAIL_FROM' && !/\S@\S/.test(value)) return `is "${value}", which is no email address`
  if (!PUBLIC_PAGES.includes(name)) return null
  if (value.startsWith('http:')) return `is "${value}", but browsers keep sessions only over https`
  const host = URL.parse(value)?.hostname ?? ''
  return `.${host}`.endsWith(`.${anchors}`)
    ? `is "${value}", below ANCHOR_DOMAIN_SUFFIX: an anchor could set its cookies`
    : null
}
