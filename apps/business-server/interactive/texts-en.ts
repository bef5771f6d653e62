import { type PauseMessage, pauseMessages } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { TransferState } from '../tables.ts'

type Sides = readonly [deposit: string, withdrawal: string]

const headlines: Readonly<Record<TransferState, Sides>> = {
  new: ['Deposit', 'Withdrawal'],
  identifying: ['We are verifying your identity', 'We are verifying your identity'],
  awaiting_funds: ['Waiting for your payment', 'Waiting for your payment'],
  funded: ['Payment received', 'Payment received'],
  awaiting_trust: ['Add the asset to your wallet', ''],
  paying_out: ['', 'Paying your bank account'],
  completed: ['Completed', 'Completed'],
  sent_back: ['Your bank sent the refund back', 'Your bank sent the money back'],
  returning: ['Refunding your payment', 'Refunding your payment'],
  returned: ['Payment refunded', 'Payment refunded'],
  expired: ['The time to pay has expired', 'The time to pay has expired'],
  failed: ['Transaction failed', 'Transaction failed'],
}

/** What the customer reads beneath the headline. */
const explanations: Readonly<Record<TransferState, Sides>> = {
  new: ['', ''],
  identifying: ['', ''],
  awaiting_funds: ['', ''],
  funded: [
    'We are sending the asset to your account. This takes a few seconds.',
    'We are paying your bank account.',
  ],
  awaiting_trust: [
    'Your account has no trustline for the asset. After you add it, we send the payment automatically.',
    '',
  ],
  paying_out: ['', 'The bank is processing the payment. You can close this page.'],
  completed: ['The asset is in your account.', 'The money is in your bank account.'],
  sent_back: [
    'Your bank sent the refund back. We pay it again, and contact you if we need another account.',
    'Your bank sent the money back. We pay it again or refund you, and contact you if we need another account.',
  ],
  returning: ['We are refunding the full amount.', 'We are refunding the full amount.'],
  returned: ['We refunded the full amount to its sender.', 'We refunded the full amount to its sender.'],
  expired: [
    'If you already paid, we still accept the payment or refund it.',
    'If you already paid, we still accept the payment or refund it.',
  ],
  failed: [
    'You were not charged. Start again in your wallet.',
    'You were not charged. Start again in your wallet.',
  ],
}

/** The customer's history of the transfer; the operator's reasons are in the status table. */
const passed: Readonly<Record<TransferState, Sides>> = {
  new: ['Created', 'Created'],
  identifying: ['Identity requested', 'Identity requested'],
  awaiting_funds: ['You confirmed the amounts', 'You confirmed the amounts'],
  funded: ['Payment received', 'Payment received'],
  awaiting_trust: ['Trustline missing', ''],
  paying_out: ['', 'The bank accepted our payment'],
  completed: ['Paid out', 'Paid out'],
  sent_back: ['The bank sent the refund back', 'The bank sent the payment back'],
  returning: ['Payment not accepted', 'Payment not accepted'],
  returned: ['Payment refunded', 'Payment refunded'],
  expired: ['No payment received in time', 'No payment received in time'],
  failed: ['Failed', 'Failed'],
}

/** All texts of the pages in one language; in pairs where deposits and withdrawals differ. */
export const english = {
  lang: 'en',
  headlines,
  explanations,
  passed,
  test: 'No real money moves here.',
  titles: ['Deposit', 'Withdrawal'] as Sides,
  steps: ['Identity', 'Amount', 'Payment', 'Done'],
  stepsLabel: 'Steps',
  help: (mail: string) => `Questions? ${mail}`,
  copy: 'Copy',
  copied: 'Copied',
  problem: 'Problem',
  nothingHere: 'Page not found',
  didNotWork: 'Something went wrong',
  backToWallet: 'You can go back to your wallet.',

  whoAreYou: 'Confirm your email',
  newWallet: 'We send a code to your email address. You verify your identity once for all our anchors.',
  email: 'Email address',
  mailCode: 'Send code',
  enterCode: 'Enter the code',
  codeMailed: (to: string) => `We sent a 6-digit code to ${to}.`,
  checkEmail: (domain: string, wallet: string) =>
    `The email names ${domain} and the wallet ${wallet}. Enter the code only here, and only if both are right.`,
  you: 'you',
  code: 'Code',
  continue: 'Continue',
  otherAddress: 'Use another address or request a new code',
  wrongCode: 'The code is wrong or has expired.',
  confirmTitle: 'Confirm your wallet',
  confirmWallet: (to: string, wallet: string) =>
    `We sent an email to ${to}. Open it, sign in to your account and confirm the wallet ${wallet}.`,
  confirmWhy:
    'This wallet is new to your account. You confirm it so that nobody else can use your identity. This page then continues automatically.',
  verifyTitle: 'Verify your identity',
  verifyWhy:
    'We must verify your identity before your first payment. Our identity provider does this in a few minutes, once for all our anchors.',
  verify: 'Verify my identity',
  verifyingTitle: 'Verifying your identity',
  verifyingWhy: 'This page updates automatically.',
  backToProvider: 'Back to the identity provider',
  rejectedTitle: 'Verification failed',
  rejectedWhy:
    'We could not verify your identity. You were not charged. Contact us if you think this is a mistake.',

  detailsTitle: [(code: string) => `Deposit ${code}`, (code: string) => `Withdraw ${code}`] as const,
  howMuch: [
    (code: string) => `How much ${code} do you want to receive?`,
    (code: string) => `How much ${code} do you want to send?`,
  ] as const,
  limits: (min: string, max: string, code: string) => `From ${min} to ${max} ${code}`,
  tooMuch: (max: string, code: string) => `You can receive at most ${max} ${code} right now.`,
  noCapacity: (code: string) => `No ${code} is available right now. Try again later.`,
  pauses: pauseMessages as Record<PauseMessage, string>,
  rails: ['How do you want to pay?', 'How do you want to be paid?'] as Sides,
  chooseRail: 'Choose a payment method.',
  noAccount: 'Do not pay now: the account that we receive payments on is being corrected.',
  noRail: 'No payment method is available right now. Try again later.',
  optional: 'optional',

  personTitle: 'About you',
  personWhy:
    'For an amount of this size the law asks who you are. We keep it with the transaction, encrypted.',
  /** SEP-9's fields. */
  person: {
    first_name: 'First name',
    last_name: 'Last name',
    address: 'Street and number',
    city: 'City',
    address_country_code: 'Country',
    'organization.registered_address': 'Registered address',
    'organization.city': 'City',
    'organization.address_country_code': 'Country',
  } as Readonly<Record<string, string>>,
  chooseCountry: 'Choose a country',
  checkPerson: (labels: readonly string[]) => `Enter: ${labels.join(', ')}.`,

  reviewTitle: 'Review and confirm',
  youPay: ['You pay', 'You send'] as Sides,
  youGet: 'You receive',
  youPaid: ['You paid', 'You sent'] as Sides,
  youGot: 'You received',
  anyAmount: 'any amount within the limits',
  fixedFee: 'Fixed fee',
  serviceFee: (percent: string) => `Service fee (${percent})`,
  rate: 'Rate',
  paidTo: 'Paid to',
  over: (rail: string) => `Paid by ${rail}. The amounts are fixed once you confirm.`,
  lapsedTitle: 'The quote has expired',
  lapsedWhy: 'The amounts are no longer valid. You were not charged. Start again in your wallet.',
  confirm: 'Confirm',
  rateChanged: 'The exchange rate has changed. These are the new amounts.',
  change: 'Change',

  pay: (money: string) => `Pay ${money}`.trim(),
  payHow: (rail: string) =>
    `Pay by ${rail} exactly this amount and use this reference, so we can match your payment.`,
  scan: (rail: string) => `Scan to pay with ${rail}`,
  openApp: 'Open the payment app',
  waiting: 'Waiting for your payment',
  waitingHint: 'This page updates automatically.',
  simulatedTitle: (rail: string) => `Simulated ${rail}`,
  simulated: 'This payment method is simulated. No bank is involved. The button replaces your payment.',
  simulatedSending: 'The simulated bank is sending the money.',
  simulatedAmount: 'Amount to pay',
  simulatedHow: 'Bank response',
  simulatedChoices: { '': 'Pays immediately', slow: 'Pays after a minute', declined: 'Declines' },
  simulatedDeclined: 'The simulated bank declined the payment. Nothing was paid.',
  simulate: 'Simulate my payment',
  until: (time: string) => `Pay by ${time} UTC.`,
  lateReturned: 'Your quote holds until then. A later payment is refunded.',
  lateRepriced: 'A later payment is exchanged at the rate of that moment.',

  send: (units: string) => `Send ${units}`,
  sendHow: 'Your wallet usually does this automatically. Use this memo, so we can match your payment.',
  scanWallet: 'Pay with a Stellar wallet',
  to: 'To',
  memo: 'Memo (ID)',
  amount: 'Amount',

  history: 'History',
  receipt: 'Receipt',
  transaction: 'Transaction',
  reference: 'Reference',
  railPayment: 'Payment ID',
  onLedger: 'Ledger transaction',
  refundOnLedger: 'Ledger refund',
  seeOnLedger: 'View on the ledger',
  claimable: (until: string | null) =>
    until === null
      ? 'The payment is a claimable balance. Claim it in your wallet.'
      : `The payment is a claimable balance. Claim it in your wallet by ${until}. After that we take it back and pay it to your account once it has a trustline.`,
  print: 'Print or save',
  amountTwoWays: (few: string, many: string) =>
    `The amount can be read in two ways. Enter ${few} or ${many}.`,
  amountDecimals: (most: number) => `Enter an amount with at most ${most} decimals.`,
  amountInvalid: (example: string) => `Enter an amount such as ${example}.`,
  checkAmount: (why: string, _limits: string) => why,
  checkDetails: (wrong: readonly { label: string; why: string }[]) =>
    `${wrong.map(({ label, why }) => `${label}: ${why}`).join('; ')}.`,
  /** Translations of the rails' own labels. */
  words: {} as Readonly<Record<string, string>>,
}

export type Texts = typeof english
