import type { TransferState } from '../tables.ts'

type Sides = readonly [deposit: string, withdrawal: string]

const headlines: Readonly<Record<TransferState, Sides>> = {
  new: ['Deposit', 'Withdrawal'],
  identifying: ['We are finding out who you are', 'We are finding out who you are'],
  awaiting_funds: ['We wait for your payment', 'We wait for your payment'],
  funded: ['Your money is here', 'Your payment is here'],
  awaiting_trust: ['Add the asset in your wallet', ''],
  paying_out: ['', 'Your bank is being paid'],
  completed: ['Done', 'Done'],
  returning: ['Your money goes back to you', 'Your payment goes back to you'],
  returned: ['Your money is back with you', 'Your payment is back with you'],
  expired: ['The time to pay is over', 'The time to pay is over'],
  failed: ['This did not work', 'This did not work'],
}

/** What the customer reads beneath the headline. */
const explanations: Readonly<Record<TransferState, Sides>> = {
  new: ['', ''],
  identifying: ['', ''],
  awaiting_funds: ['', ''],
  funded: ['We are sending you the asset on the ledger. It takes some seconds.', 'We are paying your bank.'],
  awaiting_trust: [
    'Your account cannot hold it yet. As soon as you have added it, the payment follows by itself.',
    '',
  ],
  paying_out: ['', 'The payment is with the bank. You can close this page: it goes on by itself.'],
  completed: ['It is in your account.', 'The bank has paid you.'],
  returning: ['We send back all of it.', 'We send back all of it.'],
  returned: ['All of it went back to where it came from.', 'All of it went back to where it came from.'],
  expired: [
    'If you have paid meanwhile, we take the payment all the same or send it back.',
    'If you have paid meanwhile, we take the payment all the same or send it back.',
  ],
  failed: [
    'Nothing was charged. Begin again in your wallet.',
    'Nothing was charged. Begin again in your wallet.',
  ],
}

/** What was passed; the reasons of the table of steps are the operator's. */
const passed: Readonly<Record<TransferState, Sides>> = {
  new: ['Begun', 'Begun'],
  identifying: ['You were asked who you are', 'You were asked who you are'],
  awaiting_funds: ['You agreed to the amounts', 'You agreed to the amounts'],
  funded: ['Your payment arrived', 'Your payment arrived'],
  awaiting_trust: ['Your account could not hold the asset yet', ''],
  paying_out: ['', 'The bank took our payment'],
  completed: ['You were paid', 'You were paid'],
  returning: ['Your payment could not be taken', 'Your payment could not be taken'],
  returned: ['Your payment went back to you', 'Your payment went back to you'],
  expired: ['No payment came in time', 'No payment came in time'],
  failed: ['It could not go on', 'It could not go on'],
}

/** All words of the pages in one language; in pairs where deposits and withdrawals say different things. */
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
  nothingHere: 'There is nothing here',
  didNotWork: 'This did not work',
  backToWallet: 'You can go back to your wallet.',

  whoAreYou: 'Who are you?',
  newWallet:
    'Your wallet is new here. We mail a code to your address and verify your identity once, for all our anchors.',
  email: 'E-mail address',
  mailCode: 'Mail me a code',
  enterCode: 'Enter the code',
  codeMailed: (to: string) => `We mailed a 6-digit code to ${to}.`,
  you: 'you',
  code: 'Code',
  goOn: 'Go on',
  otherAddress: 'Use another address or a new code',
  wrongCode: 'The code is wrong or has expired.',
  verifyTitle: 'Verify your identity',
  verifyWhy:
    'We must know who you are before money moves. It takes a few minutes at our identity provider, and is needed once for all our anchors.',
  verify: 'Verify my identity',
  verifyingTitle: 'Your identity is being verified',
  verifyingWhy: 'This page goes on by itself as soon as it is done.',
  backToProvider: 'Back to the identity provider',
  rejectedTitle: 'We cannot serve you',
  rejectedWhy:
    'Your identity could not be verified. Nothing was charged. Write to us if you think that this is wrong.',

  detailsTitle: [(code: string) => `Deposit ${code}`, (code: string) => `Withdraw ${code}`] as const,
  howMuch: [
    (code: string) => `How much ${code} do you want to get?`,
    (code: string) => `How much ${code} do you want to send?`,
  ] as const,
  limits: (min: string, max: string, code: string) => `From ${min} to ${max} ${code}`,
  tooMuch: (max: string, code: string) => `At most ${max} ${code} can be paid out at the moment.`,
  noCapacity: (code: string) => `No ${code} can be paid out at the moment. Try again later.`,
  rails: ['How do you pay?', 'How do you want to be paid?'] as Sides,
  chooseRail: 'Choose how the money moves.',
  noRail: 'No payment rail can be used at the moment. Try again later.',
  optional: 'optional',

  reviewTitle: 'Is this right?',
  youPay: ['You pay', 'You send'] as Sides,
  youGet: 'You get',
  youPaid: ['You paid', 'You sent'] as Sides,
  youGot: 'You got',
  anyAmount: 'any amount within the limits',
  fixedFee: 'Fixed fee',
  serviceFee: (percent: string) => `Service fee (${percent})`,
  rate: 'Rate',
  paidTo: 'Paid to',
  over: (rail: string) => `Over ${rail}. The amounts hold once you confirm.`,
  lapsedTitle: 'The quote has expired',
  lapsedWhy: 'Its amounts do not hold any more. Nothing was charged. Begin again in your wallet.',
  confirm: 'Confirm',
  change: 'Change',

  pay: (money: string) => `Pay ${money}`.trim(),
  payHow: (rail: string) =>
    `Pay over ${rail}, exactly this amount and with this reference: by it we know that the payment is yours.`,
  scan: (rail: string) => `Scan to pay with ${rail}`,
  openApp: 'Open the payment app',
  waiting: 'Waiting for your payment',
  waitingHint: 'This page goes on by itself.',
  simulatedTitle: (rail: string) => `Simulated ${rail}`,
  simulated: 'This rail is simulated: no bank is behind it. The button stands for your payment.',
  simulatedSending: 'The simulated bank is sending the money.',
  simulatedAmount: 'Amount to pay',
  simulatedHow: 'What the bank does',
  simulatedChoices: { '': 'It pays at once', slow: 'It takes a minute', declined: 'It declines' },
  simulate: 'Simulate my payment',
  until: (time: string) => `Pay by ${time} UTC.`,

  send: (units: string) => `Send ${units}`,
  sendHow:
    'Your wallet usually does this by itself now. The memo is what tells us that the payment is yours.',
  scanWallet: 'Pay with a Stellar wallet',
  to: 'To',
  memo: 'Memo (id)',
  amount: 'Amount',

  history: 'What happened',
  receipt: 'Receipt',
  transaction: 'Transaction',
  reference: 'Reference',
  railPayment: 'Payment over the rail',
  onLedger: 'On the ledger',
  refundOnLedger: 'Refund on the ledger',
  seeOnLedger: 'See it on the ledger',
  claimable: 'It waits for you as a claimable balance: claim it in your wallet.',
  print: 'Print or save',
  checkAmount: (why: string, _limits: string) => why,
  checkDetails: (wrong: readonly { label: string; why: string }[]) =>
    `${wrong.map(({ label, why }) => `${label}: ${why}`).join('; ')}.`,
  /** Of the rails' own words those that are not said as they are. */
  words: {} as Readonly<Record<string, string>>,
}

export type Texts = typeof english
