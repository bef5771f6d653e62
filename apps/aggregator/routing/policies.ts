import type { RoutingPolicy, WeightsInput } from '@windlass/contracts/routing.ts'
import { AmountError } from '@windlass/money/amount.ts'
import { parseRate } from '@windlass/money/rate.ts'
import { invalid, Problem } from '@windlass/service/problem.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../database.ts'
import { activate, insertPolicy, listPolicies } from './queries.ts'
import { shownWeights, type PolicyWeights } from './score.ts'
import type { RoutingPolicyRow } from './table.ts'

/** A version of the routing policy in memory. */
export interface Policy {
  id: string
  version: number
  name: string
  weights: PolicyWeights
  active: boolean
  createdAt: Date
  activatedAt: Date | null
}

const DIGITS = 6

/** Every version, newest first, and which is active: kept in memory, read again whenever the database tells. */
export class Policies {
  readonly #db: Kysely<Tables>
  #versions: Policy[] = []

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  async reload(): Promise<void> {
    this.#versions = (await listPolicies(this.#db)).map(policyOf)
  }

  get all(): readonly Policy[] {
    return this.#versions
  }

  get active(): Policy {
    const active = this.#versions.find(policy => policy.active)
    if (!active) throw new Error('there is no active routing policy')
    return active
  }

  /** Throws `policy-not-found`. */
  find(id: string): Policy {
    const policy = this.#versions.find(version => version.id === id)
    if (!policy) throw new Problem('policy-not-found', 'There is no routing policy with this id.')
    return policy
  }

  /** Adds a version and makes it the active one if asked to. Throws `validation-failed`. */
  async create(name: string | undefined, weights: WeightsInput, active: boolean): Promise<Policy> {
    const id = await insertPolicy(
      this.#db,
      { name: name ?? 'Unnamed', ...columnsOf(readWeights(weights)) },
      active,
    )
    await this.reload()
    return this.find(id)
  }

  /** Throws `policy-not-found`. */
  async activate(id: string): Promise<Policy> {
    const { id: known } = this.find(id)
    await activate(this.#db, known)
    await this.reload()
    return this.find(known)
  }
}

export function renderPolicy(policy: Policy): RoutingPolicy {
  return {
    id: policy.id,
    version: policy.version,
    name: policy.name,
    weights: shownWeights(policy.weights),
    active: policy.active,
    createdAt: policy.createdAt.toISOString(),
    activatedAt: policy.activatedAt?.toISOString() ?? null,
  }
}

/** Reads weights exactly. Throws `validation-failed` where one is wrong or they do not sum to 1. */
export function readWeights(input: WeightsInput): PolicyWeights {
  const weights = {
    fee: readWeight('fee', input.fee),
    speed: readWeight('speed', input.speed),
    uptime: readWeight('uptime', input.uptime),
    liquidity: readWeight('liquidity', input.liquidity),
  }
  if (weights.fee + weights.speed + weights.uptime + weights.liquidity !== 10n ** BigInt(DIGITS)) {
    throw invalid('weights', 'must sum to exactly 1')
  }
  return weights
}

function readWeight(name: keyof WeightsInput, given: string | number): bigint {
  try {
    const { numerator, digits } = parseRate(given)
    if (digits <= DIGITS) return numerator * 10n ** BigInt(DIGITS - digits)
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
  }
  throw invalid(`weights.${name}`, `must be a decimal number from 0 to 1 with at most ${DIGITS} digits`)
}

const millionths = (text: string): bigint => readWeight('fee', text)
const decimal = (weight: bigint): string => `${weight}e-${DIGITS}`

const columnsOf = (weights: PolicyWeights) => ({
  fee: decimal(weights.fee),
  speed: decimal(weights.speed),
  uptime: decimal(weights.uptime),
  liquidity: decimal(weights.liquidity),
})

function policyOf(row: RoutingPolicyRow): Policy {
  return {
    id: row.id,
    version: row.version,
    name: row.name,
    weights: {
      fee: millionths(row.fee),
      speed: millionths(row.speed),
      uptime: millionths(row.uptime),
      liquidity: millionths(row.liquidity),
    },
    active: row.active,
    createdAt: row.created_at,
    activatedAt: row.activated_at,
  }
}
