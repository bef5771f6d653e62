import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { catalogue } from '@windlass/ui/catalogue.ts'

export const account = catalogue('account', {
  title: 'Identity',
  signedInAs: (email: string) => `Signed in as ${email}`,
  statuses: {
    NEEDS_INFO: 'Not verified',
    PROCESSING: 'Pending review',
    ACCEPTED: 'Verified',
    REJECTED: 'Rejected',
  } satisfies Record<KycStatus, string>,
  next: {
    NEEDS_INFO: 'Verify your identity to deposit and withdraw. You need an identity document and a camera.',
    PROCESSING: 'The identity provider is reviewing your data. This page updates automatically.',
    ACCEPTED: 'You can deposit and withdraw at every anchor. You do not have to do anything.',
    REJECTED:
      'Your identity could not be verified. Check that your document is valid and readable, then retry.',
  } satisfies Record<KycStatus, string>,
  verifiedAt: (when: string) => `Verified on ${when}`,
  start: { NEEDS_INFO: 'Verify identity', PROCESSING: 'Continue at the provider', REJECTED: 'Retry' },
  startFailed: 'The identity check did not start',
  access: {
    title: 'Who sees your data',
    rows: [
      ['Identity provider', 'Your document and photos, to verify them.'],
      [
        'Windlass',
        'Your email address, the result of the check with the name on your document, and your linked wallets.',
      ],
      [
        'Anchors you use',
        'The result of the check with the name on your document, which they compare with sanctions lists, and what you enter on their pages.',
      ],
    ],
  },
  anchors: {
    title: 'Anchors you use',
    lead: 'They may see the result of your identity check and the name on your document, because you signed in there.',
    columns: { name: 'Company', domain: 'Domain', since: 'First used', actions: 'Access' },
    withdraw: 'Withdraw',
    withdrawFrom: (name: string) => `Withdraw the access of ${name}`,
    withdrawTitle: 'Withdraw access',
    withdrawLead:
      'This anchor can no longer read the result of your identity check or your wallets here. It keeps its own records of you and your transactions, as the law asks of it. Sign in there again with a code to give the access back.',
    withdrawFailed: 'The access was not withdrawn',
    empty: { title: 'None yet', detail: 'An anchor appears here once you sign in there.' },
  },
  deletion: {
    title: 'Delete your account',
    lead: 'Deletes your email address, the result of the identity check, your wallets, the access of anchors and your sessions.',
    kept: 'Anchors and the identity provider keep what the law asks of them, such as records of your transactions. The audit log keeps the number of your account without your name.',
    action: 'Delete account',
    sent: (email: string) =>
      `We sent a code to ${email}. Enter it to delete your account. This cannot be undone.`,
    code: {
      label: 'Code',
      missing: 'Enter the six digits from the email',
      refused: 'The code is wrong, already used or expired.',
    },
    confirm: 'Delete permanently',
    failed: 'Your account was not deleted',
  },
  download: {
    title: 'Your data',
    lead: 'Your profile, the result of the check, your wallets, anchors and sessions, as a JSON file.',
    action: 'Download your data',
    file: 'windlass-data.json',
    failed: 'Your data was not downloaded',
  },
})

export const wallets = catalogue('wallets', {
  title: 'Wallets',
  lead: 'Stellar accounts that belong to you. Anchors recognize a wallet once you prove that it is yours.',
  columns: { address: 'Address', label: 'Label', network: 'Network', status: 'Status', actions: 'Actions' },
  proven: 'Proven',
  unproven: 'Not proven',
  empty: { title: 'No wallets yet', detail: 'Link the address of a Stellar account.' },
  link: {
    title: 'Link wallet',
    address: 'Address',
    addressHint: 'Starts with G and has 56 characters.',
    addressMissing: 'Enter the address of your wallet',
    addressWrong: 'Enter an address with 56 characters that starts with G',
    label: 'Label',
    labelHint: 'Such as “Phone”.',
    submit: 'Link wallet',
    failed: 'The wallet was not linked',
  },
  prove: {
    action: 'Prove',
    actionOf: (name: string) => `Prove ${name}`,
    title: 'Prove that the wallet is yours',
    sign: 'Sign this transaction with your wallet, then paste the signed transaction below. It is never submitted to the ledger, so it costs nothing and moves nothing.',
    passphrase: 'Network passphrase',
    transaction: 'Transaction to sign',
    transactionCopy: 'the transaction',
    signed: 'Signed transaction',
    signedMissing: 'Paste the signed transaction',
    submit: 'Submit proof',
    failed: 'The proof was not accepted',
  },
  unlink: {
    action: 'Unlink',
    actionOf: (name: string) => `Unlink ${name}`,
    title: 'Unlink wallet',
    lead: 'Anchors no longer recognize this wallet. Its money stays where it is. You can link it again.',
    submit: 'Unlink wallet',
    failed: 'The wallet was not unlinked',
  },
})

export const anchorAccounts = catalogue('anchorAccounts', {
  title: 'Signed in at anchors',
  lead: 'Wallets and accounts that signed in at an anchor with your email address. One that waits counts for nothing until you confirm it.',
  columns: {
    account: 'Account',
    anchor: 'Anchor',
    since: 'Signed in',
    status: 'Status',
    actions: 'Actions',
  },
  memo: (memo: string) => `Memo ${memo}`,
  waiting: 'Waiting',
  confirmed: 'Confirmed',
  failed: 'The accounts could not be loaded',
  confirm: {
    action: 'Confirm',
    actionOf: (name: string) => `Confirm ${name}`,
    title: 'Confirm this wallet',
    lead: (anchor: string, domain: string) =>
      `Confirm it only if you opened ${domain} yourself and this is your own wallet. Anyone who uses it can then deposit and withdraw in your name, and ${anchor} can read the result of your identity check.`,
    submit: 'Confirm wallet',
    failed: 'The wallet was not confirmed',
  },
  remove: {
    action: 'Remove',
    actionOf: (name: string) => `Remove ${name}`,
    title: 'Remove this wallet',
    lead: 'Anchors do not treat this wallet as yours. Its money stays where it is. It can sign in again with a code from your mailbox, and then waits for you.',
    submit: 'Remove wallet',
    failed: 'The wallet was not removed',
  },
})

export const removeWallet = catalogue('removeWallet', {
  title: 'Remove a wallet',
  lead: 'Anchors then no longer treat this wallet as yours. Its money stays where it is.',
  memo: (memo: string) => `Memo ${memo}`,
  submit: 'Remove wallet',
  failed: 'The wallet was not removed',
  wallets: 'Your wallets',
  done: {
    title: 'Removed',
    detail:
      'Did someone else use your email address? Sign in, end the sessions that you do not know, and withdraw the access of anchors that you do not use.',
  },
  gone: {
    title: 'This link does not work any more',
    detail: 'It was used, has expired or is not complete. Sign in to see and remove your wallets.',
  },
})
