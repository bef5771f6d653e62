import { SignerKey, type xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { assetFields } from '../ledger/assets.ts'
import { accountIn, type Effect, lineAsset, type OperationFields, type Pair, type Who } from './effect.ts'

/** Entries and signers whose reserve another account has begun or ceased to pay. */
export function sponsorshipEffects(operation: OperationFields, all: readonly Pair[]): Effect[] {
  const source = accountIn(operation, 'source_account')
  return all.flatMap(({ before, after }) => {
    const entry = (after ?? before)?.data
    if (!entry) return []
    const subject = sponsoredSubject(entry, source)
    const own = subject ? sponsorChange(subject.kind, sponsorOf(before), sponsorOf(after)) : undefined
    return [
      ...(subject && own ? [{ ...subject.who, type: own.type, ...subject.fields, ...own.fields }] : []),
      ...signerSponsorshipEffects(before, after),
    ]
  })
}

type Sponsored = 'account' | 'trustline' | 'data' | 'claimable_balance' | 'signer'

/** How effects name an entry that may be sponsored; undefined where they do not (offers). */
function sponsoredSubject(
  entry: xdr.LedgerEntryData,
  source: Who,
): { kind: Sponsored; who: Who; fields: Record<string, unknown> } | undefined {
  switch (entry.type) {
    case 'account':
      return { kind: 'account', who: { account: accountIdOf(entry.account.accountId) }, fields: {} }
    case 'trustline': {
      const { accountId, asset } = entry.trustLine
      const name = lineAsset(asset)
      const { asset_type } = assetFields(name)
      const fields =
        asset.type === 'assetTypePoolShare'
          ? { asset_type: 'liquidity_pool', liquidity_pool_id: name }
          : { asset_type, asset: name }
      return { kind: 'trustline', who: { account: accountIdOf(accountId) }, fields }
    }
    case 'data':
      return { kind: 'data', who: source, fields: { data_name: entry.data.dataName.toString() } }
    case 'claimableBalance': {
      const balance_id = entry.claimableBalance.balanceId.toXdr('hex')
      return { kind: 'claimable_balance', who: source, fields: { balance_id } }
    }
    default:
      return undefined
  }
}

function sponsorOf(entry: xdr.LedgerEntry | undefined): string | undefined {
  const sponsor = entry?.ext.type === 'v1' ? entry.ext.v1.sponsoringId : null
  return sponsor ? accountIdOf(sponsor) : undefined
}

function sponsorChange(
  kind: Sponsored,
  was: string | undefined,
  is: string | undefined,
): { type: Effect['type']; fields: Record<string, string> } | undefined {
  if (was === is) return undefined
  if (was === undefined) return { type: `${kind}_sponsorship_created`, fields: { sponsor: is ?? '' } }
  if (is === undefined) return { type: `${kind}_sponsorship_removed`, fields: { former_sponsor: was } }
  return { type: `${kind}_sponsorship_updated`, fields: { former_sponsor: was, new_sponsor: is } }
}

function signerSponsorshipEffects(
  before: xdr.LedgerEntry | undefined,
  after: xdr.LedgerEntry | undefined,
): Effect[] {
  const entry = (after ?? before)?.data
  if (entry?.type !== 'account') return []
  const account = accountIdOf(entry.account.accountId)
  const [was, is] = [signerSponsors(before), signerSponsors(after)]
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap(signer => {
    const change = sponsorChange('signer', was.get(signer), is.get(signer))
    return change ? [{ account, type: change.type, signer, ...change.fields }] : []
  })
}

function signerSponsors(entry: xdr.LedgerEntry | undefined): Map<string, string> {
  const account = entry?.data.type === 'account' ? entry.data.account : undefined
  const extension = account?.ext.type === 'v1' ? account.ext.v1.ext : undefined
  const sponsors = extension?.type === 'v2' ? extension.v2.signerSponsoringIDs : []
  return new Map(
    (account?.signers ?? []).flatMap(({ key }, index) => {
      const sponsor = sponsors[index]
      return sponsor ? [[SignerKey.encodeSignerKey(key), accountIdOf(sponsor)] as const] : []
    }),
  )
}
