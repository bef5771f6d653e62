import type { Client } from '@windlass/client/client.ts'
import { getTreasurySettings, type TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import { getJournalSettings, type JournalSettings } from '@windlass/contracts/anchor/journal.ts'
import { getAnchorSigning } from '@windlass/contracts/internal/control-plane.ts'
import type { SigningLimits } from '@windlass/contracts/internal/signer.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import type { PlatformDb } from '../tables.ts'
import { fromAnchor } from './anchor-server.ts'

/*
 * Which settings let more money out of an anchor than before: these wait for a second person (ADR 0102). What only lets less out
 * is done at once, so that one person can stop a loss, and what was lowered within a day can be restored by one as well.
 */

interface OfAnchor {
  params: { anchorId: string }
}

const DAY_MS = 86_400_000
const fromControlPlane = passProblems('The control plane')

/** The limits that count now. */
export async function signingLimits(
  _: Deps,
  { params: { anchorId } }: OfAnchor,
  server: Client,
): Promise<SigningLimits> {
  const { limits } = await fromControlPlane(server.call(getAnchorSigning, { params: { anchorId } }))
  return limits
}

/** Whether some limit is higher, or there are more destinations, than now and than before the limits were lowered today. */
export async function letsMoreSign(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  { params, body }: OfAnchor & { body: SigningLimits },
  now: SigningLimits,
): Promise<boolean> {
  if (!isMore(now, body)) return false
  const lowered = await database.db
    .selectFrom('lowered_limits')
    .select('limits')
    .where('anchor_id', '=', params.anchorId)
    .where('lowered_at', '>', new Date(clock.now().getTime() - DAY_MS))
    .executeTakeFirst()
  return lowered === undefined || isMore(lowered.limits, body)
}

interface Set {
  call: OfAnchor
  answer: { limits: SigningLimits }
  prepared: SigningLimits
}

/** Keeps the limits that are lowered: the highest of a day, so that lowering in steps loses nothing. */
export async function keepLowered(
  { clock }: Pick<Deps, 'clock'>,
  tx: PlatformDb,
  { call: { params }, answer, prepared }: Set,
): Promise<void> {
  if (!isMore(answer.limits, prepared)) return
  const now = clock.now()
  const row = { limits: JSON.stringify(prepared), lowered_at: now }
  await tx
    .insertInto('lowered_limits')
    .values({ anchor_id: params.anchorId, ...row })
    .onConflict(conflict =>
      conflict
        .column('anchor_id')
        .doUpdateSet(row)
        .where('lowered_limits.lowered_at', '<=', new Date(now.getTime() - DAY_MS)),
    )
    .execute()
}

export function isMore(now: SigningLimits, wanted: SigningLimits): boolean {
  const before = new Map(now.further?.map(({ asset, perHour }) => [asset, perHour]))
  const { destinations } = now
  return (
    isHigher(now.perHour, wanted.perHour) ||
    isHigher(now.xlmPerHour, wanted.xlmPerHour) ||
    isHigher(now.perPayment, wanted.perPayment) ||
    (wanted.further ?? []).some(({ asset, perHour }) => isHigher(before.get(asset) ?? '0', perHour)) ||
    (destinations !== null && !(wanted.destinations?.every(each => destinations.includes(each)) ?? false))
  )
}

/** Null is without a limit. */
const isHigher = (now: string | null, wanted: string | null): boolean =>
  now !== null && (wanted === null || parseAmount(wanted) > parseAmount(now))

/** The settings that count now. */
export async function treasurySettings(
  _: Deps,
  { query }: { query: { asset?: string } },
  server: Client,
): Promise<TreasurySettings> {
  return (await fromAnchor(server.call(getTreasurySettings, { query }))).settings
}

/** Whether units are sent to another account than before, or more of them to the same one. */
export function letsMoreSweep(
  _: Deps,
  { body: { coldAccount, ceiling } }: { body: TreasurySettings },
  now: TreasurySettings,
): boolean {
  if (coldAccount === null || ceiling === null) return false
  if (coldAccount !== now.coldAccount) return true
  return now.ceiling === null || parseAmount(ceiling) < parseAmount(now.ceiling)
}

/** How the journal is kept now. */
export const journalSettings = (_: Deps, __: OfAnchor, server: Client): Promise<JournalSettings> =>
  fromAnchor(server.call(getJournalSettings))

/** Whether more of a deposit's money may be missing without that a person decides. */
export const toleratesMore = (
  _: Deps,
  { body: { charges } }: { body: JournalSettings },
  now: JournalSettings,
): boolean => isHigher(now.charges?.tolerance ?? '0', charges?.tolerance ?? '0')
