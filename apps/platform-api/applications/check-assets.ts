import { pegsOf } from '@windlass/contracts/platform/anchor-rails.ts'
import type { AssetWarning, StellarConfig } from '@windlass/contracts/platform/applications.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { isAccount } from '@windlass/stellar/addresses.ts'
import { readAccount, type HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { Deps } from '../deps.ts'

const CODE = /^[A-Za-z0-9]{1,12}$/

/** Checks the assets that an anchor is to serve over its rails. Throws `validation-failed` naming the field. */
export function checkAssets({ assets, ...alone }: StellarConfig, rails: readonly string[]): void {
  requirePeg('stellarConfig.anchoredTo', alone.anchoredTo, rails)
  if (alone.assetCode?.toUpperCase() === XLM)
    throw invalid('stellarConfig.assetCode', 'must not be XLM: name it in stellarConfig.assets')
  if (!assets) return
  const both = (['assetCode', 'assetName', 'anchoredTo'] as const).find(name => alone[name])
  if (both) throw invalid(`stellarConfig.${both}`, 'must be in stellarConfig.assets, which is given')
  const seen = new Set<string>()
  for (const [index, { code, issuer, anchoredTo }] of assets.entries()) {
    const path = `stellarConfig.assets.${index}`
    if (!CODE.test(code)) throw invalid(`${path}.code`, 'must be 1 to 12 letters and digits')
    if (code.toUpperCase() === XLM) {
      requireXlm(path, { code, issuer, anchoredTo }, index)
      continue
    }
    if (issuer && !isAccount(issuer)) throw invalid(`${path}.issuer`, 'must be an account (G…)')
    if (anchoredTo && !CODE.test(anchoredTo))
      throw invalid(`${path}.anchoredTo`, 'must be a currency or asset code such as USD')
    if (!issuer && index > 0)
      throw invalid(
        `${path}.issuer`,
        'is required: an anchor issues one asset at most, the first in the list',
      )
    requirePeg(`${path}.anchoredTo`, anchoredTo, rails)
    const id = `${code}:${issuer || 'own'}`
    if (seen.has(id)) throw invalid(path, 'must not be in the list twice')
    seen.add(id)
    // Wallets and the routing name assets in any case.
    if (assets.some(each => each.code !== code && each.code.toUpperCase() === code.toUpperCase()))
      throw invalid(`${path}.code`, 'must not differ from another code of the list in case alone')
  }
}

const XLM = 'XLM'

/** Whether the application is for XLM, which needs a rate of its own. */
export const isForXlm = ({ assets }: StellarConfig): boolean => assets?.[0]?.code === XLM

/** XLM has no issuer and is pegged to nothing; wallets would show another asset of that name as the network's own. */
function requireXlm(
  path: string,
  { code, issuer, anchoredTo }: NonNullable<StellarConfig['assets']>[number],
  index: number,
): void {
  if (code !== XLM) throw invalid(`${path}.code`, 'must be XLM in capitals')
  if (issuer) throw invalid(`${path}.issuer`, 'must be empty: nobody issues XLM')
  if (index > 0) throw invalid(`${path}.code`, 'must not be XLM: it can be the first asset alone')
  if (anchoredTo && anchoredTo.toUpperCase() !== XLM)
    throw invalid(`${path}.anchoredTo`, 'must be empty: XLM is pegged to nothing')
}

/** An anchor without a rate for its asset prices nothing, and its provisioning ends at the check by wallets. */
function requirePeg(path: string, anchoredTo: string | undefined, rails: readonly string[]): void {
  const known = pegsOf(rails)
  if (!anchoredTo || known.includes(anchoredTo.toUpperCase())) return
  throw invalid(path, `must be ${known.join(' or ')}: ${rails.join(', ')} moves no other currency`)
}

/**
 * What the issuers of existing assets may do. Refuses one that the network does not have; while the ledger does not
 * answer, provisioning looks for it. Throws `validation-failed`.
 */
export async function lookUpIssuers(
  { config, logger }: Deps,
  { assets = [] }: StellarConfig,
): Promise<AssetWarning[]> {
  const warnings: AssetWarning[] = []
  for (const [index, { code, issuer }] of assets.entries()) {
    if (!issuer) continue
    const account = await readAccount(config.network, issuer).catch((error: unknown) => {
      logger.warn({ err: error }, 'an issuer was not looked up')
      return undefined
    })
    if (account === null)
      throw invalid(`stellarConfig.assets.${index}.issuer`, 'must be an account on this network')
    if (account) warnings.push(...warningsOf(account.issuing).map(kind => ({ asset: code, kind })))
  }
  return warnings
}

const warningsOf = ({ authRequired, authRevocable, clawback }: HorizonAccount['issuing']) => [
  ...(authRequired ? ['authorization-required' as const] : []),
  ...(authRevocable ? ['revocable' as const] : []),
  ...(clawback ? ['clawback' as const] : []),
]
