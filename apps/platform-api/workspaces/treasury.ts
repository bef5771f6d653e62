import type { TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import { notifiedAnchor, type AnchorRow } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { recordNotification } from '../notifications/record.ts'
import type { PlatformDb } from '../tables.ts'

interface Changed {
  call: { query: { asset?: string }; principal: { email: string } }
  answer: { settings: TreasurySettings }
  anchor: AnchorRow
}

/** Notifies the organization of changed treasury settings: money leaves the anchor's servers to the cold account. */
export async function notifyOfTreasury(
  deps: Deps,
  tx: PlatformDb,
  { call: { query, principal }, answer: { settings }, anchor }: Changed,
): Promise<void> {
  const { ceiling, coldAccount } = settings
  const sweeps = coldAccount
    ? `What exceeds ${ceiling} is sent to ${coldAccount}`
    : 'Nothing is sent to a cold account'
  const of = query.asset ? ` of ${query.asset}` : ''
  const detail = `${principal.email} changed the treasury settings${of}. ${sweeps}.`
  const swept = coldAccount
    ? `Lo que supera ${ceiling} se envía a ${coldAccount}`
    : 'Nada se envía a una cuenta fría'
  const ofAsset = query.asset ? ` de ${query.asset}` : ''
  const spanish = `${principal.email} cambió los ajustes de la tesorería${ofAsset}. ${swept}.`
  const event = { kind: 'treasury-settings-changed', subject: newId('change'), detail, spanish } as const
  await recordNotification(deps, tx, notifiedAnchor(anchor), event)
}
