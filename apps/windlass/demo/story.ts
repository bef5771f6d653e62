import { randomBytes } from 'node:crypto'
import type { Approval } from '@windlass/contracts/platform/invitations.ts'
import type { JobResult } from '@windlass/contracts/platform/provisioning.ts'
import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import type { RouteAnswer } from '@windlass/contracts/aggregator/routing.ts'
import type { Quote } from '@windlass/contracts/aggregator/quotes.ts'
import type { Handoff } from '@windlass/contracts/aggregator/handoff.ts'
import { type Client, CookieJar, createClient } from '@windlass/client/client.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { Keypair } from '@stellar/stellar-sdk'
import type { Variables } from '../base-env.ts'

/** A company that applies for an anchor, and its progress. */
export interface Founder {
  company: string
  email: string
  fullName: string
  password: string
  subdomain: string
  applicationId?: string
  approval?: Approval
  jobId?: string
  anchorId?: string
  anchor?: JobResult
  listed?: RegistryEntry
}

/** What the steps pass to each other. Names are new in every run, so that runs do not collide. */
export interface Story {
  variables: Variables
  /** Without a session. */
  visitor: Client
  /** Signed in over /admin/login and over /auth/login. */
  administrator: Client
  otherAdministrator: Client
  operator: Client
  customer: Client
  aggregator: Client
  /** Reaches anchors' domains as the stack itself does, whatever this machine's resolver knows. */
  anchors: Outbound
  first: Founder
  second: Founder
  refused: Founder
  wallet: Keypair
  customerEmail: string
  customerId?: string
  quote?: Quote
  route?: RouteAnswer
  handoff?: Handoff
}

/** One step of the demo: an action and its checks. */
export interface Step {
  title: string
  /** @returns the result: a line, and further lines to show below it. */
  run(story: Story, show: (line: string) => void): Promise<string>
}

export function beginStory(variables: Variables): Story {
  const tag = randomBytes(3).toString('hex')
  const at = (name: string, cookies?: CookieJar) => createClient({ baseUrl: variables[name] ?? '', cookies })
  return {
    variables,
    visitor: at('PLATFORM_URL'),
    administrator: at('PLATFORM_URL', new CookieJar()),
    otherAdministrator: at('PLATFORM_URL', new CookieJar()),
    operator: at('PLATFORM_URL', new CookieJar()),
    customer: at('PLATFORM_URL', new CookieJar()),
    aggregator: at('AGGREGATOR_URL'),
    anchors: patiently(
      createOutbound({
        allowPrivate: true,
        ingress: { suffix: variables.ANCHOR_DOMAIN_SUFFIX ?? '', url: variables.ANCHOR_INGRESS ?? '' },
      }),
    ),
    first: founder('Lotus Remit', 'lotus', tag, 'Asha Rao'),
    second: founder('Harbor Pay', 'harbor', tag, 'Mateo Vega'),
    refused: founder('Quick Cash', 'quick', tag, 'Max Haste'),
    wallet: Keypair.random(),
    customerEmail: `customer-${tag}@example.com`,
  }
}

/** Waits longer than services wait for each other: a new server answers its first request late on a busy machine. */
const patiently = (outbound: Outbound): Outbound => ({
  ...outbound,
  request: (url, init) => outbound.request(url, { timeout: 30_000, ...init }),
})

function founder(company: string, word: string, tag: string, fullName: string): Founder {
  return {
    company: `${company} ${tag}`,
    email: `${word}-${tag}@example.com`,
    fullName,
    password: randomBytes(12).toString('base64url'),
    subdomain: `${word}-${tag}`,
  }
}

/**
 * Something an earlier step made.
 *
 * @throws {Error} naming what is missing, when that step failed.
 */
export function made<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Error(`there is no ${what}: an earlier step failed`)
  return value
}

/** @throws {Error} with `what` unless the condition holds. */
export function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what)
}
