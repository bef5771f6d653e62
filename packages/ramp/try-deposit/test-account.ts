import { Account, Asset, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { RefusedError, WalletError } from '../../wallet/errors.ts'
import { createRequest, pause } from '../../wallet/requests.ts'
import { AnchorSession } from '../../wallet/session.ts'
import type { Transfer } from '../../wallet/transfer.ts'
import type { AnchorAddress } from '../../wallet/types.ts'

/** What the anchor's page says of itself and of its test network. */
export interface TestAnchor {
  address: AnchorAddress
  asset: { code: string; issuer: string }
  /** As this browser reaches them. */
  network: { horizonUrl: string; friendbotUrl: string }
}

export type Step = 'account' | 'trustline' | 'login'

/** In stroops, for one operation: more than a busy test network asks for. */
const FEE = '100000'
const LOOKS = 40
const LOOK_EVERY_MS = 500

const request = createRequest({})

interface LedgerAccount {
  sequence: string
  balances: { asset_code?: string; asset_issuer?: string }[]
}

/**
 * Opens an account with a trustline on a test network, whose key nothing but this call's memory holds, logs in with it
 * (SEP-10) and begins a deposit (SEP-24). Throws {@link WalletError}.
 */
export async function startTestDeposit(
  { address, asset, network }: TestAnchor,
  onStep: (step: Step) => void,
  signal: AbortSignal,
): Promise<Transfer> {
  const { networkPassphrase } = address
  const key = Keypair.random()
  onStep('account')
  await openAccount(network.friendbotUrl, key.publicKey(), signal)
  const opened = await accountWith(network.horizonUrl, key.publicKey(), () => true, signal)
  // Every account holds XLM.
  if (asset.issuer !== 'native') {
    onStep('trustline')
    await openTrustline({ address, asset, network }, { key, sequence: opened.sequence, signal })
  }
  onStep('login')
  const signer = {
    address: key.publicKey(),
    sign: (xdr: string) => {
      const challenge = TransactionBuilder.fromXdr(xdr, networkPassphrase)
      challenge.sign(key)
      return challenge.toXdr()
    },
  }
  const session = new AnchorSession({ anchor: address, signer, request })
  return session.deposit({ asset: `${asset.code}:${asset.issuer}`, fields: { lang: 'en' }, signal })
}

async function openTrustline(
  { address: { networkPassphrase }, asset, network }: TestAnchor,
  { key, sequence, signal }: { key: Keypair; sequence: string; signal: AbortSignal },
): Promise<void> {
  const transaction = new TransactionBuilder(new Account(key.publicKey(), sequence), {
    fee: FEE,
    networkPassphrase,
  })
    .addOperation(Operation.changeTrust({ asset: new Asset(asset.code, asset.issuer) }))
    .setTimeout(120)
    .build()
  transaction.sign(key)
  await submit(network.horizonUrl, transaction.toXdr(), signal)
  const trusts = ({ balances }: LedgerAccount) =>
    balances.some(each => each.asset_code === asset.code && each.asset_issuer === asset.issuer)
  await accountWith(network.horizonUrl, key.publicKey(), trusts, signal)
}

async function openAccount(friendbotUrl: string, account: string, signal: AbortSignal): Promise<void> {
  try {
    await request(friendbotUrl, { query: { addr: account }, signal })
  } catch (error) {
    // The answer to an earlier attempt was lost: the account is open.
    if (!(error instanceof RefusedError && error.status === 400)) throw error
  }
}

/** The account once it is as expected: Horizon shows a ledger a moment after it has closed. */
async function accountWith(
  horizonUrl: string,
  account: string,
  isExpected: (found: LedgerAccount) => boolean,
  signal: AbortSignal,
): Promise<LedgerAccount> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const found = await request<LedgerAccount>(`${horizonUrl}/accounts/${account}`, { signal }).catch(
      (error: unknown) => {
        if (error instanceof RefusedError && error.status === 404) return null
        throw error
      },
    )
    if (found && isExpected(found.body)) return found.body
    await pause(LOOK_EVERY_MS, signal)
  }
  throw new WalletError('ledger-late', 'The test network does not show the account. Retry later.', {
    retryable: true,
  })
}

/** A lost answer is no failure: the account shows what became of the transaction. */
async function submit(horizonUrl: string, tx: string, signal: AbortSignal): Promise<void> {
  const body = new URLSearchParams({ tx })
  const answer = await fetch(`${horizonUrl}/transactions`, { method: 'POST', body, signal }).catch(() => null)
  signal.throwIfAborted()
  if (answer?.status === 400)
    throw new WalletError('trustline-refused', 'The test network refused the trustline. Retry later.')
}
