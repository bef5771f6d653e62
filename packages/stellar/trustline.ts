import { Account, Asset, BASE_FEE, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import type { HorizonAccount } from './horizon-account.ts'
import type { Horizon } from './horizon.ts'
import { signTransaction, type AccountKey } from './keys.ts'
import { LedgerError } from './ledger-error.ts'
import { signingLink } from './sep7.ts'

const FEE_STROOPS = '10000'
const VALID_SECONDS = 60
/** Someone reads it first, and may look for their wallet. */
const SIGNED_WITHIN_SECONDS = 24 * 60 * 60

/** The transaction that adds a trustline, for its account to sign, and the link by which a wallet does that (SEP-7). */
export function trustlineLink(
  account: Pick<HorizonAccount, 'id' | 'sequence'>,
  { code, issuer }: { code: string; issuer: string },
  networkPassphrase: string,
  now: Date,
): { xdr: string; link: string } {
  const xdr = new TransactionBuilder(new Account(account.id, account.sequence), {
    fee: BASE_FEE,
    networkPassphrase,
    timebounds: { minTime: 0, maxTime: Math.floor(now.getTime() / 1_000) + SIGNED_WITHIN_SECONDS },
  })
    .addOperation(Operation.changeTrust({ asset: new Asset(code, issuer) }))
    .build()
    .toXdr()
  return { xdr, link: signingLink({ xdr, pubkey: account.id, network_passphrase: networkPassphrase }) }
}

/** Opens an account's trustline for an asset, unless it has one. Throws {@link LedgerError}. */
export async function openTrustline(
  horizon: Horizon,
  networkPassphrase: string,
  key: AccountKey,
  { code, issuer }: { code: string; issuer: string },
): Promise<'applied' | 'found'> {
  const account = await horizon.account(key.publicKey)
  if (!account) throw new LedgerError('ledger-unavailable', 'The account is not on the ledger.')
  if (account.balances.some(({ asset }) => asset === `${code}:${issuer}`)) return 'found'
  const transaction = new TransactionBuilder(new Account(account.id, account.sequence), {
    fee: FEE_STROOPS,
    networkPassphrase,
  })
    .addOperation(Operation.changeTrust({ asset: new Asset(code, issuer) }))
    .setTimeout(VALID_SECONDS)
    .build()
  signTransaction(transaction, key.secret)
  const submitted = await horizon.submit(transaction.toXdr())
  if (submitted.outcome === 'applied') return 'applied'
  const why = submitted.outcome === 'refused' ? submitted.codes.join(', ') : submitted.detail
  throw new LedgerError('transaction-refused', `The ledger did not open the trustline: ${why}.`)
}
