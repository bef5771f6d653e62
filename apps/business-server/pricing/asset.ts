import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'

/** The anchor's asset in SEP-38's form. */
export const assetName = ({ plan, accounts }: AnchorConfig): string =>
  `stellar:${plan.asset.code}:${accounts.issuer}`

/** Whether the anchor issues its asset, and with this account: the issuer of an existing asset is anyone. */
export const isOwnIssuer = ({ plan, accounts }: AnchorConfig, account: string): boolean =>
  plan.asset.issuer === undefined && account === accounts.issuer
