import type { xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from './addresses.ts'
import { assetName, codeOf, type AssetName } from './assets.ts'
import { accountKey, trustLineKey } from './entries.ts'
import { entryKeyOf } from './entry-xdr.ts'
import type { Incoming, IncomingOperation } from './envelope.ts'

/** The first protocol in which validators can freeze entries (CAP-77). */
const frozenSince = 26

/** Keys of entries that no transaction may touch. */
export type Frozen = ReadonlySet<string>

/** Keys of `G…`, an account, and `G… CODE:ISSUER`, a trustline. */
export const frozenKeys = (names: readonly string[]): Frozen =>
  new Set(
    names.map(name => {
      const [account = '', asset] = name.split(' ')
      return asset === undefined ? accountKey(account) : trustLineKey(account, asset)
    }),
  )

/** What is frozen in a ledger of a protocol. */
export const frozenIn = (protocol: number, frozen: Frozen): Frozen =>
  protocol < frozenSince ? new Set() : frozen

/** Whether a transaction touches a frozen entry, as far as it says itself what it touches. */
export function touchesFrozen({ source, feeBump, operations, tx }: Incoming, frozen: Frozen): boolean {
  if (frozen.size === 0) return false
  const { ext } = tx
  const { readOnly, readWrite } = ext.type === 'sorobanData' ? ext.sorobanData.resources.footprint : NOTHING
  const touched = [
    accountKey(source),
    ...(feeBump ? [accountKey(feeBump.source)] : []),
    ...[...readOnly, ...readWrite].map(key => entryKeyOf(key) ?? ''),
    ...operations.flatMap(keysOf),
  ]
  return touched.some(key => frozen.has(key))
}

const NOTHING = { readOnly: [], readWrite: [] }

/** Where an account holds an asset. */
const holding = (account: string, asset: AssetName | undefined): string =>
  asset === undefined || asset === 'native' ? accountKey(account) : trustLineKey(account, asset)

/** Whether an account's balance of one of these assets may not change. An issuer holds none of its own. */
export const isHeldFrozen = (frozen: Frozen, account: string, ...assets: AssetName[]): boolean =>
  frozen.size > 0 && assets.some(asset => frozen.has(holding(account, asset)))

/** What an operation touches whatever the ledger has: of its source, and of whom it names. */
function keysOf({ source, body }: IncomingOperation): string[] {
  return [accountKey(source), ...namedIn(source, body)]
}

function namedIn(source: string, body: xdr.OperationBody): string[] {
  switch (body.type) {
    case 'createAccount':
      return [accountKey(accountIdOf(body.value.destination))]
    case 'payment': {
      const { asset, destination } = body.value
      return [source, accountIdOf(destination)].map(each => holding(each, assetName(asset)))
    }
    case 'pathPaymentStrictReceive':
    case 'pathPaymentStrictSend': {
      const { sendAsset, destAsset, destination } = body.value
      return [holding(source, assetName(sendAsset)), holding(accountIdOf(destination), assetName(destAsset))]
    }
    case 'manageSellOffer':
    case 'manageBuyOffer':
    case 'createPassiveSellOffer':
      return [body.value.selling, body.value.buying].map(asset => holding(source, assetName(asset)))
    case 'changeTrust':
      return body.value.line.type === 'assetTypePoolShare'
        ? []
        : [holding(source, assetName(body.value.line))]
    case 'createClaimableBalance':
      return [holding(source, assetName(body.value.asset))]
    case 'clawback':
      return [holding(accountIdOf(body.value.from), assetName(body.value.asset))]
    case 'allowTrust': {
      const code = codeOf(body.value.asset)
      return code === undefined ? [] : [trustLineKey(accountIdOf(body.value.trustor), `${code}:${source}`)]
    }
    case 'setTrustLineFlags':
      return [holding(accountIdOf(body.value.trustor), assetName(body.value.asset))]
    case 'accountMerge':
      return [accountKey(accountIdOf(body.value))]
    case 'revokeSponsorship':
      return [
        body.value.type === 'revokeSponsorshipLedgerEntry'
          ? (entryKeyOf(body.value.ledgerKey) ?? '')
          : accountKey(accountIdOf(body.value.signer.accountId)),
      ]
    default:
      return []
  }
}
