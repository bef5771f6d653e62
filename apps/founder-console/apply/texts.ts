import { catalogue } from '@windlass/ui/catalogue.ts'
import type { ApplyStep } from '../paths.ts'

const steps = {
  company: { title: 'Company', lead: 'Who operates the anchor, and how we contact you.' },
  asset: {
    title: 'Asset',
    lead: 'The asset your anchor serves. Empty fields use our defaults.',
  },
  rails: {
    title: 'Rails and fees',
    lead: 'Which payment rails you use, what you charge and how fast payments arrive.',
  },
  compliance: { title: 'Compliance', lead: 'Where you are licensed and which countries you serve.' },
  check: { title: 'Check and send', lead: 'Review your answers. You can still change each of them.' },
} satisfies Record<ApplyStep, { title: string; lead: string }>

export const apply = catalogue('apply', {
  documentTitle: (step: string) => `${step} – Apply`,
  steps,
  stepOf: (position: number, all: number) => `Step ${position} of ${all}`,
  tasks: 'Your application',
  taskStates: { done: 'Completed', open: 'Optional', needed: 'To do', error: 'Has errors' },
  draftSaved: (time: string) => `Draft saved on this device at ${time}`,
  draftRestored: (time: string) => `Draft from ${time} restored`,
  draftNotKept: 'This browser does not keep drafts. Your answers are lost when you close the page.',
  discard: 'Discard draft',
  next: 'Save and continue',
  back: 'Back',
  fields: {
    'companyProfile.name': { label: 'Company name', hint: 'As registered.' },
    'companyProfile.businessEmail': {
      label: 'Business email',
      hint: 'Receives the invitation. You sign in with it later.',
    },
    'companyProfile.contactName': { label: 'Contact person', hint: '' },
    'companyProfile.country': { label: 'Country of registration', hint: '' },
    'companyProfile.website': { label: 'Website', hint: '' },
    'companyProfile.registrationNumber': { label: 'Registration number', hint: '' },
    'stellarConfig.assetCode': {
      label: 'Asset code',
      hint: '1 to 12 letters and digits, such as USDX. If empty, we derive it from your subdomain.',
    },
    'stellarConfig.assets.0.issuer': {
      label: 'Issuer',
      hint: 'Of an existing asset: the account (G…) that issues it.',
    },
    'stellarConfig.assetName': { label: 'Asset name', hint: 'Displayed by wallets, such as “Acme Dollar”.' },
    'stellarConfig.anchoredTo': { label: 'Pegged to', hint: '' },
    'paymentRails.rails': { label: 'Payment rails', hint: 'Choose every rail you can send and receive on.' },
    'paymentRails.settlement': { label: 'Settlement time', hint: '' },
    'paymentRails.fee.fixed': { label: 'Fixed fee', hint: 'For each transaction, in units of your asset.' },
    'paymentRails.fee.percentage': { label: 'Percentage fee', hint: 'Of the amount.' },
    'paymentRails.limits.min': { label: 'Minimum amount', hint: 'In units of your asset.' },
    'paymentRails.limits.max': { label: 'Maximum amount', hint: 'In units of your asset.' },
    'compliance.jurisdiction': { label: 'Licensed in', hint: '' },
    'compliance.licenseNumber': { label: 'Licence number', hint: '' },
    'compliance.regions': { label: 'Countries served', hint: 'India by default.' },
  },
  addAsset: 'Add an asset',
  credentials: {
    title: 'Rail credentials',
    provider: 'Provider',
    lead: 'The accounts your customers pay to. Optional on a test network. They are stored in the secrets store, not in the draft, and are never displayed again.',
  },
  feeExample: (fee: string, amount: string) => `The fee for a transfer of ${amount} is ${fee}.`,
  rails: {
    UPI: 'Unified Payments Interface, India',
    IMPS: 'Immediate Payment Service, India',
    NEFT: 'National Electronic Funds Transfer, India',
    SEPA: 'Single Euro Payments Area',
    ACH: 'Automated Clearing House, United States',
  },
  settlements: {
    instant: { label: 'Instant', hint: 'Gets the highest speed score in routing.' },
    under_60_minutes: { label: 'Within 60 minutes', hint: '' },
  },
  errors: {
    nameMissing: 'Enter the company name',
    emailMissing: 'Enter the business email',
    emailWrong: 'Enter an email address such as name@company.example',
    websiteWrong: 'Enter a web address such as https://company.example',
    assetCodeWrong: 'An asset code has 1 to 12 letters and digits',
    issuerWrong: 'Enter an account (G…)',
    assetTwice: 'This asset is in the list already',
    amountWrong: (what: string, why: string) => `${what}: ${why}`,
    percentageWrong: 'Percentage fee: enter a number from 0 to 100',
    limitsCrossed: 'The maximum amount must not be below the minimum',
    tooLong: (what: string, most: number) => `${what}: use at most ${most} characters`,
    credentialWrong: (what: string, why: string) => `${what} ${why}`,
  },
})

export type FieldName = keyof typeof apply.fields
