import { Asset } from '@stellar/stellar-sdk/base'

/** An asset on the ledger by its code and its issuer, which is `native` for XLM. */
export const ledgerAssetOf = ({ code, issuer }: { code: string; issuer: string }): Asset =>
  issuer === 'native' ? Asset.native() : new Asset(code, issuer)

/** Whether Horizon's fields of an asset name it. */
export const isRecordOf = (
  {
    asset_type,
    asset_code,
    asset_issuer,
  }: {
    asset_type?: string | undefined
    asset_code?: string | undefined
    asset_issuer?: string | undefined
  },
  { code, issuer }: { code: string; issuer: string },
): boolean => (issuer === 'native' ? asset_type === 'native' : asset_code === code && asset_issuer === issuer)
