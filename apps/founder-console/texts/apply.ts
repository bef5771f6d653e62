import type { ApplyStep } from '../paths.ts'

const steps: Record<ApplyStep, { title: string; lead: string }> = {
  company: { title: 'Company', lead: 'Who will run the anchor, and where we write to.' },
  asset: {
    title: 'Asset',
    lead: 'What your anchor issues on the ledger. What you leave open takes our default.',
  },
  rails: {
    title: 'Rails and fees',
    lead: 'Which payment rails you move money on, what you charge and how fast it arrives.',
  },
  compliance: { title: 'Compliance', lead: 'Where you are licensed and which countries you serve.' },
  check: { title: 'Check and send', lead: 'Read it once more. You can still change every answer.' },
}

export const apply = {
  documentTitle: (step: string) => `${step} – Apply`,
  steps,
  stepOf: (position: number, all: number) => `Step ${position} of ${all}`,
  tasks: 'Your application',
  taskStates: { done: 'Filled in', open: 'Optional', needed: 'To do', error: 'Needs a look' },
  draftSaved: (time: string) => `Draft saved on this device at ${time}`,
  draftFromBefore: (time: string) => `Draft from ${time} restored`,
  draftNotKept: 'This browser keeps no drafts; the answers last until you close the page.',
  discard: 'Discard the draft',
  next: 'Save and continue',
  back: 'Back',
  send: 'Send the application',
  change: 'Change',
  changeWhat: (what: string) => `Change ${what}`,
  notGiven: 'Not given',
  defaultsTo: (value: string) => `${value} (our default)`,
  credentialsKept: 'Given; sent straight to the secrets store and never shown again',
  declaration: 'By sending you confirm that you may apply for this company and that what you state is true.',
  submitFailed: 'The application was not sent',
  fields: {
    'companyProfile.name': { label: 'Company name', hint: 'As registered.' },
    'companyProfile.businessEmail': {
      label: 'Business email',
      hint: 'The invitation goes here, and with it you sign in later.',
    },
    'companyProfile.contactName': { label: 'Contact person', hint: '' },
    'companyProfile.country': { label: 'Country of registration', hint: '' },
    'companyProfile.website': { label: 'Website', hint: '' },
    'companyProfile.registrationNumber': { label: 'Registration number', hint: '' },
    'stellarConfig.assetCode': {
      label: 'Asset code',
      hint: '1 to 12 letters and digits, such as USDX. If left open, made from your subdomain.',
    },
    'stellarConfig.assetName': { label: 'Asset name', hint: 'As wallets show it, such as “Acme Dollar”.' },
    'stellarConfig.anchoredTo': { label: 'One unit stands for one', hint: '' },
    'paymentRails.rails': { label: 'Payment rails', hint: 'Choose all that you can send and receive on.' },
    'paymentRails.settlement': { label: 'How fast money arrives', hint: '' },
    'paymentRails.fee.fixed': { label: 'Fixed fee', hint: 'For each transaction, in units of your asset.' },
    'paymentRails.fee.percentage': { label: 'Percentage fee', hint: 'Of the amount.' },
    'paymentRails.limits.min': { label: 'Smallest amount', hint: 'In units of your asset.' },
    'paymentRails.limits.max': { label: 'Largest amount', hint: 'In units of your asset.' },
    'compliance.jurisdiction': { label: 'Licensed in', hint: '' },
    'compliance.licenseNumber': { label: 'Licence number', hint: '' },
    'compliance.regions': { label: 'Countries served', hint: 'India if left open.' },
  },
  credentials: {
    title: 'Rail credentials',
    lead: 'The accounts that your customers pay to. Optional on a test network. They go straight to the secrets store: they are not in the draft and are never shown again.',
  },
  feeExample: (fee: string, amount: string) => `A transfer of ${amount} costs ${fee}.`,
  rails: {
    UPI: 'Unified Payments Interface, India',
    IMPS: 'Immediate Payment Service, India',
    NEFT: 'National Electronic Funds Transfer, India',
    SEPA: 'Single Euro Payments Area',
    ACH: 'Automated Clearing House, United States',
  },
  settlements: {
    instant: { label: 'At once', hint: 'Scores best when wallets are routed.' },
    under_60_minutes: { label: 'Within 60 minutes', hint: '' },
  },
  errors: {
    nameMissing: 'Enter the company name',
    emailMissing: 'Enter the business email',
    emailWrong: 'Enter an email address such as name@company.example',
    websiteWrong: 'Enter a web address such as https://company.example',
    assetCodeWrong: 'An asset code has 1 to 12 letters and digits',
    notAnAmount: (what: string) => `${what}: enter a number such as 0.5, with at most 7 decimals`,
    percentageWrong: 'Percentage fee: enter a number from 0 to 100, with at most 5 decimals',
    limitsCrossed: 'The largest amount must not be below the smallest',
    credentialWrong: (what: string, why: string) => `${what} ${why}`,
    tooLong: (what: string, most: number) => `${what}: at most ${most} characters`,
  },
  submitted: {
    title: 'Application sent',
    lead: 'We have your application. Keep its id: it is how we find it when you write to us.',
    id: 'Application id',
    mailTo: (email: string) => `The answer goes to ${email}.`,
    nextTitle: 'What happens next',
    next: [
      { title: 'A person reads it', detail: 'An administrator looks at your company, rails and licence.' },
      {
        title: 'You get a mail',
        detail:
          'With an invitation to redeem if it is approved, or the reason if it is not. The invitation is valid for seven days and works once.',
      },
      {
        title: 'You raise the anchor',
        detail: 'Redeem the invitation, choose a subdomain and watch it come up.',
      },
    ],
    again: 'Send another application',
    haveInvitation: 'I have my invitation',
  },
} as const

export type FieldName = keyof typeof apply.fields
