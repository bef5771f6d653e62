import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { railKind } from '@windlass/contracts/anchor-rails.ts'

/** The anchor's asset in SEP-38's form. */
export const assetName = ({ plan, accounts }: AnchorConfig): string =>
  `stellar:${plan.asset.code}:${accounts.issuer}`

/** What the anchor's rail of that name moves. */
export const kindOfRail = ({ plan }: AnchorConfig, rail: string) => railKind(rail, plan.asset.anchoredTo)
