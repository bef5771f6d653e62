import type { StellarConfig } from '@windlass/contracts/applications.ts'
import { invalid } from '@windlass/service/problem.ts'
import { isAccount } from '@windlass/stellar/addresses.ts'

const CODE = /^[A-Za-z0-9]{1,12}$/

/** Checks the assets that an anchor is to serve. Throws `validation-failed` naming the field. */
export function checkAssets({ assets, ...alone }: StellarConfig): void {
  if (!assets) return
  const both = (['assetCode', 'assetName', 'anchoredTo'] as const).find(name => alone[name])
  if (both) throw invalid(`stellarConfig.${both}`, 'must be in stellarConfig.assets, which is given')
  for (const [index, { code, issuer, anchoredTo }] of assets.entries()) {
    const path = `stellarConfig.assets.${index}`
    if (!CODE.test(code)) throw invalid(`${path}.code`, 'must be 1 to 12 letters and digits')
    // Wallets would show another asset of that name as the network's own.
    if (code.toUpperCase() === 'XLM')
      throw invalid(`${path}.code`, 'must not be XLM: anchors do not serve it')
    if (issuer && !isAccount(issuer)) throw invalid(`${path}.issuer`, 'must be an account (G…)')
    if (anchoredTo && !CODE.test(anchoredTo))
      throw invalid(`${path}.anchoredTo`, 'must be a currency or asset code such as USD')
  }
}
