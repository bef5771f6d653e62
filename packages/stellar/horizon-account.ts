import { amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { readWithHeaders, type Urgency } from './horizon-client.ts'
import type { LedgerSource } from './network.ts'

/** An account as Horizon describes it, as far as Windlass uses it. */
export interface HorizonAccount {
  id: string
  /** The ledger this answer describes, from its `Latest-Ledger` header; null where Horizon sent none. */
  ledger: number | null
  sequence: string
  subentryCount: number
  /** Entries whose reserve it pays for others, and entries of its own that others pay for. */
  sponsoring: number
  sponsored: number
  homeDomain: string | null
  /** Whether payments to it need a memo (SEP-29, `config.memo_required`). */
  memoRequired: boolean
  /** What it may do to lines of the assets that it issues. */
  issuing: { authRequired: boolean; authRevocable: boolean; clawback: boolean }
  thresholds: { low: number; medium: number; high: number }
  signers: readonly { key: string; weight: number }[]
  balances: readonly HorizonBalance[]
}

interface HorizonBalance {
  /** `native`, or `CODE:ISSUER` */
  asset: string
  balance: string
  limit: string | null
  /** What open offers to buy may add, and what open offers to sell may take. */
  buyingLiabilities: string
  sellingLiabilities: string
  authorized: boolean
}

interface AccountDocument {
  id: string
  sequence: string
  subentry_count: number
  num_sponsoring?: number
  num_sponsored?: number
  home_domain?: string
  data?: Record<string, string>
  flags?: { auth_required?: boolean; auth_revocable?: boolean; auth_clawback_enabled?: boolean }
  thresholds: { low_threshold: number; med_threshold: number; high_threshold: number }
  signers: { key: string; weight: number }[]
  balances: {
    asset_type: string
    asset_code?: string
    asset_issuer?: string
    balance: string
    limit?: string
    buying_liabilities?: string
    selling_liabilities?: string
    is_authorized?: boolean
  }[]
}

/** The data entry by which an account asks for memos (SEP-29); its value is `1`. */
export const MEMO_REQUIRED = 'config.memo_required'

/** The account, or null where the ledger has none. Throws {@link HorizonError}. */
export async function readAccount(
  source: LedgerSource,
  address: string,
  urgency: Urgency = 'person',
): Promise<HorizonAccount | null> {
  return (await readAccountAnswer(source, address, urgency)).account
}

interface AccountAnswer {
  account: HorizonAccount | null
  /** Milliseconds before the request at which it was so, at most: a gateway may answer from memory. */
  ageMs: number
  /** Whether Horizon limits the rate of requests. */
  isLimited: boolean
}

/** As {@link readAccount}, with how old the answer is. */
export async function readAccountAnswer(
  source: LedgerSource,
  address: string,
  urgency: Urgency,
): Promise<AccountAnswer> {
  const path = `/accounts/${address}`
  const { body, headers } = await readWithHeaders<AccountDocument>(source, path, { urgency })
  return {
    account: body && accountOf(body, Number(headers.get('latest-ledger')) || null),
    ageMs: ageOf(headers.get('age')),
    isLimited: headers.get('x-ratelimit-limit') !== null,
  }
}

/** `Age` is in whole seconds (RFC 9111, section 5.1). */
function ageOf(header: string | null): number {
  if (header === null) return 0
  return /^\d+$/.test(header) ? (Number(header) + 1) * 1_000 : Infinity
}

function accountOf(found: AccountDocument, ledger: number | null): HorizonAccount {
  return {
    id: found.id,
    ledger,
    sequence: found.sequence,
    subentryCount: found.subentry_count,
    sponsoring: found.num_sponsoring ?? 0,
    sponsored: found.num_sponsored ?? 0,
    homeDomain: found.home_domain ?? null,
    memoRequired: found.data?.[MEMO_REQUIRED] === Buffer.from('1').toString('base64'),
    issuing: {
      authRequired: found.flags?.auth_required ?? false,
      authRevocable: found.flags?.auth_revocable ?? false,
      clawback: found.flags?.auth_clawback_enabled ?? false,
    },
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
      buyingLiabilities: each.buying_liabilities ?? '0',
      sellingLiabilities: each.selling_liabilities ?? '0',
      authorized: each.is_authorized ?? true,
    })),
  }
}

/** What an account holds of an asset (`native`, `CODE:ISSUER`) and open offers do not take; 0 where it has no line. */
export function availableBalance(account: HorizonAccount | null, asset: string): Amount {
  const line = account?.balances.find(each => each.asset === asset)
  if (!line) return amountOf(0n)
  const free = parseAmount(line.balance) - parseAmount(line.sellingLiabilities)
  return amountOf(free > 0n ? free : 0n)
}

/**
 * XLM that an account can spend: without the reserve (two base reserves, one for each entry it pays for) and without
 * what open offers take. Negative where it holds less than its reserve.
 *
 * @param baseReserve in stroops, of the ledger
 */
export function spendableXlm(account: HorizonAccount, baseReserve: bigint): bigint {
  const { subentryCount, sponsoring, sponsored } = account
  const entries = BigInt(2 + subentryCount + sponsoring - sponsored)
  return availableBalance(account, 'native') - entries * baseReserve
}

/** Why an account cannot receive an amount of an asset. */
export type ReceiveFault = 'no-account' | 'no-trustline' | 'not-authorized' | 'trustline-full'

/** Null: it can receive the amount. */
export function receiveFault(
  account: HorizonAccount | null,
  asset: string,
  amount: Amount,
): ReceiveFault | null {
  if (!account) return 'no-account'
  const line = account.balances.find(each => each.asset === asset)
  if (!line) return 'no-trustline'
  if (!line.authorized) return 'not-authorized'
  if (line.limit === null) return null
  const room = parseAmount(line.limit) - parseAmount(line.balance) - parseAmount(line.buyingLiabilities)
  return room >= amount ? null : 'trustline-full'
}
