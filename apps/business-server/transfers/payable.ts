import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { baseAccount, isContract } from '@windlass/stellar/addresses.ts'
import type { Deps } from '../deps.ts'
import type { Transfer } from '../tables.ts'

/** The account of a deposit is an anchor's. */
export const ANCHORS_ACCOUNT = 'an anchor has this account: use one of your own'

/** Whether it is one of this anchor's accounts, or issues an asset that it serves: units paid to it are lost or come back. */
export function isOwnAccount({ config: { anchor } }: Pick<Deps, 'config'>, address: string): boolean {
  const account = baseAccount(address)
  const issuers = servedAssets(anchor).map(({ issuer }) => issuer)
  return [...Object.values(anchor.accounts), ...issuers].includes(account)
}

/**
 * Refuses a deposit to an anchor's account, which would send the units back or keep them. While the platform does not
 * say which accounts other anchors have, only this anchor's are refused: what another one sends back is set aside.
 *
 * @throws {Problem} `validation-failed`
 */
export async function requirePayable(
  deps: Deps,
  { direction, stellar_account: address }: Pick<Transfer, 'direction' | 'stellar_account'>,
): Promise<void> {
  if (direction !== 'deposit' || isContract(address)) return
  const known = isOwnAccount(deps, address) || (await isOfOtherAnchor(deps, baseAccount(address)))
  if (known) throw new Problem('validation-failed', ANCHORS_ACCOUNT)
}

/** Whether the platform knows it as another anchor's; false where it does not answer. */
export const isOfOtherAnchor = (
  { customerRegistry, logger }: Pick<Deps, 'customerRegistry' | 'logger'>,
  account: string,
): Promise<boolean> =>
  customerRegistry.isAnchors(account).catch((error: unknown) => {
    logger.warn({ err: error }, 'the accounts of other anchors are not known')
    return false
  })
