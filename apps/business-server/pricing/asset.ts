import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'

/** The anchor's asset in SEP-38's form. */
export const assetName = ({ plan, accounts }: AnchorConfig): string =>
  `stellar:${plan.asset.code}:${accounts.issuer}`
