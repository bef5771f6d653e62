import {
  perScore,
  type RoutingPolicy,
  type ScoreName,
  type Weights,
  type WeightsInput,
} from '@windlass/contracts/aggregator/routing.ts'
import { AmountError } from '@windlass/money/amount.ts'
import { parseRate } from '@windlass/money/rate.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { sql, type Kysely } from 'kysely'
import type { RoutingPolicyRow, Tables } from '../tables.ts'
import { readWeightNumbers, weightNumbers, type PolicyWeights } from './scores.ts'

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

/** Every version, newest first, and which is active: kept in memory, read again after each notification of the database. */
export class Policies {
  readonly #db: Kysely<Tables>
  #versions: Policy[] = []

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  async reload(): Promise<void> {
    this.#versions = (await listPolicies(this.#db)).map(policyOf)
  }

  /** The versions that follow one of them in the list, or the first ones. Throws `validation-failed`. */
  after(id: string | undefined, limit: number): readonly Policy[] {
    const at = this.#versions.findIndex(version => version.id === id)
    if (id !== undefined && at < 0) throw invalid('cursor', 'must be the cursor of a Link header')
    return this.#versions.slice(at + 1, at + 1 + limit)
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
    const id = await insertPolicy(this.#db, name ?? 'Unnamed', weightNumbers(readWeights(weights)), active)
    await this.reload()
    return this.find(id)
  }

  /** Throws `policy-not-found`. */
  async activate(id: string): Promise<Policy> {
    const { id: known } = this.find(id)
    await this.#db.transaction().execute(tx => makeActive(tx, known))
    await this.reload()
    return this.find(known)
  }
}

export function renderPolicy(policy: Policy): RoutingPolicy {
  return {
    id: policy.id,
    version: policy.version,
    name: policy.name,
    weights: weightNumbers(policy.weights),
    active: policy.active,
    createdAt: policy.createdAt.toISOString(),
    activatedAt: policy.activatedAt?.toISOString() ?? null,
  }
}

/** Reads weights exactly. Throws `validation-failed` where one is wrong or they do not sum to 1. */
export function readWeights(input: WeightsInput): PolicyWeights {
  const weights = perScore(({ name }) => readWeight(name, input[name]))
  const sum = Object.values(weights).reduce((all, weight) => all + weight, 0n)
  if (sum !== 10n ** BigInt(DIGITS)) {
    throw invalid('weights', 'must sum to exactly 1')
  }
  return weights
}

function readWeight(name: ScoreName, given: string | number): bigint {
  try {
    const { numerator, digits } = parseRate(given)
    if (digits <= DIGITS) return numerator * 10n ** BigInt(DIGITS - digits)
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
  }
  throw invalid(`weights.${name}`, `must be a decimal number from 0 to 1 with at most ${DIGITS} digits`)
}

function policyOf(row: RoutingPolicyRow): Policy {
  return {
    id: row.id,
    version: row.version,
    name: row.name,
    weights: readWeightNumbers(row.weights),
    active: row.active,
    createdAt: row.created_at,
    activatedAt: row.activated_at,
  }
}

async function listPolicies(db: Db<Tables>): Promise<RoutingPolicyRow[]> {
  return db.selectFrom('routing_policies').selectAll().orderBy('version', 'desc').execute()
}

/** Returns the id. */
async function insertPolicy(
  db: Kysely<Tables>,
  name: string,
  weights: Weights,
  active: boolean,
): Promise<string> {
  return db.transaction().execute(async tx => {
    const { id } = await tx
      .insertInto('routing_policies')
      .values({ name, weights: JSON.stringify(weights), active: false })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (active) await makeActive(tx, id)
    return id
  })
}

// The lock makes two calls run one after the other, so that exactly one policy is active at every moment.
async function makeActive(tx: Db<Tables>, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(727003)`.execute(tx)
  await tx.updateTable('routing_policies').set({ active: false }).where('active', '=', true).execute()
  await tx
    .updateTable('routing_policies')
    .set({ active: true, activated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}
