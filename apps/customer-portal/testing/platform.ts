import {
  type AnchorAccount,
  challengeWallet,
  confirmAnchorAccount,
  listAnchorAccounts,
  lookUpWalletRemoval,
  removeAnchorAccount,
  getCustomer,
  linkWallet,
  listCustomerAnchors,
  listCustomerTransactions,
  type CustomerTransaction,
  listWallets,
  proveWallet,
  requestCustomerCode,
  unlinkWallet,
  verifyCustomerCode,
  type Wallet,
  listCustomerSessions,
} from '@windlass/contracts/platform/customers.ts'
import type { OpenSession } from '@windlass/contracts/platform/operators.ts'
import { getKycStatus, type KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { type FakePlatform, Refusal } from '@windlass/ui/testing/fake-platform.ts'

export const ADDRESS = 'GAV4VYBHNTQ3SCTQW2DNQQPUUHJNVVXQ2C5XWNPQRNPIO4LFVTO7BZZW'
export const AT = '2026-11-20T10:00:00.000Z'

export const walletOf = (id: string, label: string, verified: boolean): Wallet => ({
  id,
  address: ADDRESS,
  label,
  network: 'testnet',
  verified,
  createdAt: AT,
})

export const accountOf = (
  id: string,
  status: AnchorAccount['status'],
  memo: string | null,
): AnchorAccount => ({
  id,
  account: ADDRESS,
  memo,
  anchor: harbour,
  status,
  createdAt: AT,
})

export const LINK = 'a-token-of-the-link-in-the-email'

export const harbour = {
  id: 'anc_1',
  homeDomain: 'harbour.anchors.localhost',
  organizationName: 'Harbour Payments Ltd',
}

export const transactionOf = (id: string, status: string): CustomerTransaction => ({
  id,
  anchor: harbour,
  kind: 'deposit',
  status,
  assetCode: 'HARB',
  amount: '120.5',
  fee: '1.5',
  rail: 'SEPA',
  currency: 'EUR',
  railAmount: '122',
  account: ADDRESS,
  ledgerTransaction: null,
  message: status === 'awaiting_trust' ? 'Add a trustline for HARB to your wallet.' : null,
  createdAt: AT,
  updatedAt: AT,
})

export const sessionOf = (id: string, current: boolean): OpenSession => ({
  id,
  current,
  createdAt: AT,
  lastSeenAt: AT,
  userAgent: current ? 'Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0 Safari/537.36' : 'Firefox/144.0',
  address: '203.0.113.9',
})

/** How the customer and what they own stand; a test may change it under way. */
export interface CustomerState {
  signedIn: boolean
  kyc: KycStatus
  wallets: Wallet[]
  accounts: AnchorAccount[]
}

export const customerState = (): CustomerState => ({
  signedIn: true,
  kyc: 'NEEDS_INFO',
  wallets: [walletOf('wal_1', 'Phone', true), walletOf('wal_2', 'Laptop', false)],
  accounts: [],
})

/** What the platform answers to a customer. */
export function answerCustomer(platform: FakePlatform, state: CustomerState): void {
  const inside = <T>(answer: T): T | Refusal =>
    state.signedIn ? answer : new Refusal('unauthenticated', 'Sign in first.')
  platform.requests.length = 0
  platform.answer(requestCustomerCode, () => ({ ok: true }))
  platform.answer(verifyCustomerCode, ({ body }) => {
    const { email, code } = body as { email: string; code: string }
    if (code !== '482913') return new Refusal('code-not-accepted', 'No.')
    state.signedIn = true
    return { status: 'success' as const, user: { id: 'cus_1', email }, isNew: false }
  })
  platform.answer(getCustomer, () =>
    inside({ id: 'cus_1', email: 'asha@mail.example', kycStatus: state.kyc, createdAt: AT }),
  )
  platform.answer(listCustomerSessions, () => inside([sessionOf('ses_1', true), sessionOf('ses_2', false)]))
  platform.answer(getKycStatus, () =>
    inside({
      status: state.kyc,
      verifiedAt: state.kyc === 'ACCEPTED' ? AT : null,
      provider: 'mock',
      updatedAt: AT,
    }),
  )
  platform.answer(listCustomerAnchors, () => inside([{ ...harbour, since: AT }]))
  platform.answer(listCustomerTransactions, ({ query }) => {
    const isFirst = query.get('cursor') === null
    return inside({
      transactions: isFirst
        ? [transactionOf('tx_1', 'awaiting_trust'), transactionOf('tx_2', 'completed')]
        : [transactionOf('tx_3', 'returned')],
      unavailable: isFirst
        ? [{ id: 'anc_2', homeDomain: 'quiet.anchors.localhost', organizationName: 'Quiet Bank' }]
        : [],
      next: isFirst ? 'page-2' : null,
    })
  })
  platform.answer(listWallets, () => inside(state.wallets))
  platform.answer(listAnchorAccounts, () => inside(state.accounts))
  platform.answer(confirmAnchorAccount, ({ params }) => {
    state.accounts = state.accounts.filter(({ id }) => id !== params.id)
    state.wallets = [walletOf('wal_4', 'Confirmed', true), ...state.wallets]
    return { ok: true }
  })
  platform.answer(removeAnchorAccount, ({ params }) => {
    state.accounts = state.accounts.filter(({ id }) => id !== params.id)
    return undefined as never
  })
  platform.answer(lookUpWalletRemoval, ({ body }) =>
    (body as { token: string }).token === LINK
      ? { account: ADDRESS, memo: null }
      : new Refusal('removal-link-gone', 'This link was used, or has expired.'),
  )
  platform.answer(linkWallet, ({ body }) => {
    const { label = '' } = body as { label?: string }
    const made = walletOf('wal_3', label, false)
    state.wallets = [made, ...state.wallets]
    return made
  })
  platform.answer(unlinkWallet, ({ params }) => {
    state.wallets = state.wallets.filter(({ id }) => id !== params.id)
    return undefined as never
  })
  platform.answer(challengeWallet, () => ({
    transaction: 'AAAAchallenge',
    networkPassphrase: 'Test SDF Network ; September 2015',
    expiresAt: AT,
    link: 'web+stellar:tx?xdr=AAAAchallenge',
    qr: { size: 21, path: 'M0 0h1v1h-1z' },
  }))
  platform.answer(proveWallet, ({ params, body }) => {
    if ((body as { transaction: string }).transaction !== 'AAAAsigned') {
      return new Refusal('proof-not-accepted', 'The signature is not of this wallet.')
    }
    state.wallets = state.wallets.map(wallet =>
      wallet.id === params.id ? { ...wallet, verified: true } : wallet,
    )
    return state.wallets.find(({ id }) => id === params.id)!
  })
}
