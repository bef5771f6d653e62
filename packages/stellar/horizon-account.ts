/** What Horizon tells of an account, as far as Windlass uses it. */
export interface HorizonAccount {
  id: string
  /** The ledger this answer describes, from its `Latest-Ledger` header; null where Horizon sent none. */
  ledger: number | null
  sequence: string
  subentryCount: number
  homeDomain: string | null
  thresholds: { low: number; medium: number; high: number }
  signers: readonly { key: string; weight: number }[]
  balances: readonly HorizonBalance[]
}

export interface HorizonBalance {
  /** `native`, or `CODE:ISSUER` */
  asset: string
  balance: string
  limit: string | null
  authorized: boolean
}

export class HorizonError extends Error {
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

const TIMEOUT_MS = 10_000

/**
 * How urgent a request is, for a gateway that shares Horizon's rate limit (RFC 9218 `Priority`): `money` moves funds and
 * must not be answered from memory, `person` is somebody who waits, `routine` comes back.
 */
export type Urgency = 'money' | 'person' | 'routine'
export const PRIORITY: Record<Urgency, string> = { money: 'u=0', person: 'u=3', routine: 'u=7' }

interface AccountDocument {
  id: string
  sequence: string
  subentry_count: number
  home_domain?: string
  thresholds: { low_threshold: number; med_threshold: number; high_threshold: number }
  signers: { key: string; weight: number }[]
  balances: {
    asset_type: string
    asset_code?: string
    asset_issuer?: string
    balance: string
    limit?: string
    is_authorized?: boolean
  }[]
}

/** The account, or null where the ledger has none. Throws {@link HorizonError} when Horizon does not answer well. */
export async function readAccount(
  horizonUrl: string,
  address: string,
  urgency: Urgency = 'person',
): Promise<HorizonAccount | null> {
  const answer = await askHorizon<AccountDocument>(`${horizonUrl}/accounts/${address}`, urgency)
  if (answer === null) return null
  const found = answer.body
  return {
    id: found.id,
    ledger: Number(answer.headers.get('latest-ledger')) || null,
    sequence: found.sequence,
    subentryCount: found.subentry_count,
    homeDomain: found.home_domain ?? null,
    thresholds: {
      low: found.thresholds.low_threshold,
      medium: found.thresholds.med_threshold,
      high: found.thresholds.high_threshold,
    },
    signers: found.signers.map(({ key, weight }) => ({ key, weight })),
    balances: found.balances.map(each => ({
      asset: each.asset_type === 'native' ? 'native' : `${each.asset_code}:${each.asset_issuer}`,
      balance: each.balance,
      limit: each.limit ?? null,
      authorized: each.is_authorized ?? true,
    })),
  }
}

/** One resource of Horizon; null where there is none. Throws {@link HorizonError}. */
export async function readHorizon<T>(url: string, urgency: Urgency = 'person'): Promise<T | null> {
  return (await askHorizon<T>(url, urgency))?.body ?? null
}

async function askHorizon<T>(url: string, urgency: Urgency): Promise<{ body: T; headers: Headers } | null> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', priority: PRIORITY[urgency] },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 404) {
      await response.body?.cancel()
      return null
    }
    if (!response.ok) throw new HorizonError(response.status, `Horizon answered ${response.status}`)
    return { body: (await response.json()) as T, headers: response.headers }
  } catch (error) {
    if (error instanceof HorizonError) throw error
    throw new HorizonError(0, `Horizon does not answer: ${(error as Error).message}`, error)
  }
}
