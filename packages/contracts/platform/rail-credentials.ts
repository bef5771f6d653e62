import type { AccountChecks } from './account-numbers.ts'
import type { RailName } from './application-fields.ts'

/** One value of a rail's credentials. Nothing is required on test networks, where a rail may be simulated. */
export interface CredentialField {
  label: string
  hint: string
  maxLength: number
  /** Matches the whole value, without surrounding spaces. */
  pattern: RegExp
  /** The requirement as the founder reads it: `must be …`. */
  must: string
  /** What a value that fits the pattern is checked with, without its spaces: {@link AccountChecks}. */
  check?: keyof AccountChecks
  /** Part of the account that customers pay to. */
  account?: true
  /** Hidden while it is typed, like a password. */
  secret: boolean
  /** On the public network the anchor does not start without it. */
  required?: boolean
}

/** An adapter of the business server: the rails it serves and the fields it needs from the founder. */
interface RailProvider {
  label: string
  /** Whether it moves money. Others are refused on the public network. */
  publicNetwork: boolean
  /** The field that says which network the credentials are for, and how one for test networks begins. */
  mode?: { field: string; test: string }
  /** The rails that it serves, with the fields of each. */
  credentials: Readonly<Partial<Record<RailName, Fields>>>
}

type Fields = Readonly<Record<string, CredentialField>>

const field = (
  label: string,
  pattern: RegExp,
  must: string,
  more: Partial<CredentialField> = {},
): CredentialField => ({ label, pattern, must, hint: '', maxLength: 70, secret: false, ...more })

const common = {
  accountHolder: field('Account holder', /^\S.*$/, 'must not be empty', {
    hint: 'As the bank knows it. Customers see it as the payee.',
  }),
  webhookSecret: field(
    'Webhook secret',
    /^[^\s,]{16,}(\s*,\s*[^\s,]{16,})?$/,
    'must have 16 or more characters',
    {
      hint: 'Signs the reports of the rail. Two, separated by a comma, while one is replaced.',
      maxLength: 500,
      secret: true,
    },
  ),
}
const accountNumber = field('Account number', /^\d{4,18}$/, 'must have 4 to 18 digits', {
  maxLength: 18,
  account: true,
})
const indianAccount = {
  accountNumber,
  ifsc: field('IFSC', /^[A-Z]{4}0[A-Z0-9]{6}$/, 'must be an IFSC such as SBIN0001234', {
    maxLength: 11,
    account: true,
  }),
  ...common,
}
/** The account that customers pay to, by rail. */
const receivingAccounts: Readonly<Record<RailName, Fields>> = {
  UPI: {
    vpa: field(
      'UPI ID',
      /^[A-Za-z0-9._-]{1,255}@[A-Za-z][A-Za-z0-9.-]{1,63}$/,
      'must be a UPI ID such as name@okbank',
      { maxLength: 320, account: true },
    ),
    ...common,
  },
  IMPS: indianAccount,
  NEFT: indianAccount,
  SEPA: {
    iban: field(
      'IBAN',
      /^[A-Z]{2}\d{2}[A-Z0-9 ]{10,36}$/,
      'must be an IBAN such as DE89 3704 0044 0532 0130 00',
      { maxLength: 42, check: 'iban', account: true },
    ),
    bic: field('BIC', /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'must have 8 or 11 letters and digits', {
      maxLength: 11,
      check: 'bic',
      account: true,
    }),
    ...common,
  },
  ACH: {
    accountNumber,
    routingNumber: field('Routing number', /^\d{9}$/, 'must have 9 digits', {
      maxLength: 9,
      check: 'routing-number',
      account: true,
    }),
    ...common,
  },
}

/** The bank account whose statements are read and to which payout files are sent. */
const bankAccounts: RailProvider['credentials'] = Object.fromEntries(
  (['IMPS', 'NEFT', 'SEPA', 'ACH'] as const).map(rail => {
    const { webhookSecret: _, ...fields } = receivingAccounts[rail]
    const required = Object.entries(fields).map(([name, each]) => [name, { ...each, required: true }])
    const companyId = field('Company ID', /^[A-Z0-9 ]{10}$/, 'must have 10 capital letters or digits', {
      hint: 'Your bank assigns it to you as an originator of ACH payments.',
      maxLength: 10,
      required: true,
    })
    return [rail, { ...Object.fromEntries(required), ...(rail === 'ACH' ? { companyId } : {}) }]
  }),
)

/** An account at Razorpay, with RazorpayX for payouts. */
const razorpay: RailProvider['credentials'] = {
  UPI: {
    keyId: field(
      'Key ID',
      /^rzp_(test|live)_[A-Za-z0-9]{6,40}$/,
      'must be a key ID such as rzp_live_A1b2C3d4E5f6G7',
      {
        hint: 'Account & Settings, API keys. Test keys work on test networks, live keys on the public network.',
        maxLength: 60,
        required: true,
      },
    ),
    keySecret: field('Key secret', /^[A-Za-z0-9]{10,100}$/, 'must have 10 or more letters and digits', {
      maxLength: 100,
      secret: true,
      required: true,
    }),
    accountNumber: field('RazorpayX account number', /^\d{8,20}$/, 'must have 8 to 20 digits', {
      hint: 'Payouts are made from it. RazorpayX shows it under My Account & Settings, Banking.',
      maxLength: 20,
      required: true,
    }),
    ...common,
    webhookSecret: {
      ...common.webhookSecret,
      hint: 'As you set it for the webhook at Razorpay. Two, separated by a comma, while one is replaced.',
      required: true,
    },
  },
}

/**
 * The providers that rails can use, by the name that `provider` in a rail's credentials gives. The founder console
 * asks for these fields, the platform checks them and the business server reads them.
 */
export const railProviders = {
  simulated: {
    label: 'Simulated, for test networks',
    publicNetwork: false,
    credentials: receivingAccounts,
  },
  'bank-file': {
    label: 'Bank files, with any bank',
    publicNetwork: true,
    credentials: bankAccounts,
  },
  razorpay: {
    label: 'Razorpay',
    publicNetwork: true,
    mode: { field: 'keyId', test: 'rzp_test_' },
    credentials: razorpay,
  },
} as const satisfies Record<string, RailProvider>

export type RailProviderName = keyof typeof railProviders
export const DEFAULT_PROVIDER: RailProviderName = 'simulated'

export const isRailProvider = (name: string): name is RailProviderName => Object.hasOwn(railProviders, name)

const fieldsOf = (provider: RailProviderName, rail: string) =>
  (railProviders[provider].credentials as Record<string, Record<string, CredentialField>>)[rail]

/** The fields of a provider for a rail; none for a rail that it does not serve. */
export const credentialFields = (
  provider: RailProviderName,
  rail: string,
): Readonly<Record<string, CredentialField>> => fieldsOf(provider, rail) ?? {}

/**
 * The field whose value is for the other kind of network: live keys move real money, and test keys none.
 *
 * @returns null: there is none
 */
export function wrongMode(
  provider: RailProviderName,
  given: Readonly<Record<string, string>>,
  publicNetwork: boolean,
): string | null {
  const { mode }: RailProvider = railProviders[provider]
  const value = mode && given[mode.field]
  return value && value.startsWith(mode.test) === publicNetwork ? mode.field : null
}

/**
 * The fault of a value; null: none.
 *
 * @param checks `accountChecks`, apart because their library would be part of a page that visitors load first
 */
export function credentialFault(
  { maxLength, pattern, must, check }: CredentialField,
  value: string,
  checks: AccountChecks | undefined,
): string | null {
  if (value.length > maxLength) return `must have at most ${maxLength} characters`
  if (!pattern.test(value.trim())) return must
  const why = (check && checks?.[check](value.replaceAll(/\s/g, ''))) ?? null
  return why === null ? null : `is wrong: ${why}`
}

/**
 * The faults of the credentials with which an anchor is to move money over a rail, by field: as {@link credentialFaults}, and
 * what its provider needs and has not, and what is for the other kind of network.
 */
export function railFaults(
  rail: string,
  given: Readonly<Record<string, string>>,
  publicNetwork: boolean,
  checks: AccountChecks,
): Record<string, string> {
  const faults = credentialFaults(rail, given, checks)
  const { provider = DEFAULT_PROVIDER } = given
  if (!isRailProvider(provider) || 'provider' in faults) return faults
  if (publicNetwork && !railProviders[provider].publicNetwork)
    return { provider: 'must move money on the public network' }
  const mode = wrongMode(provider, given, publicNetwork)
  const needed = Object.entries(credentialFields(provider, rail))
    .filter(([name, { required }]) => required && !given[name])
    .map(([name]) => [name, 'is needed'])
  const network = publicNetwork ? 'the public network' : 'a test network'
  return { ...Object.fromEntries(needed), ...(mode ? { [mode]: `must be for ${network}` } : {}), ...faults }
}

/** The faults of one rail's credentials, by field; unknown fields are ignored. */
export function credentialFaults(
  rail: string,
  given: Readonly<Record<string, unknown>>,
  checks: AccountChecks,
): Record<string, string> {
  const provider = given.provider ?? DEFAULT_PROVIDER
  if (typeof provider !== 'string' || !isRailProvider(provider)) {
    return { provider: `must be one of ${Object.keys(railProviders).join(', ')}` }
  }
  if (fieldsOf(provider, rail) === undefined) return { provider: `${provider} does not serve ${rail}` }
  const faults = Object.entries(credentialFields(provider, rail)).map(([name, field]) => {
    const value = given[name]
    if (value === undefined || value === '') return [name, null]
    return [name, typeof value === 'string' ? credentialFault(field, value, checks) : 'must be a text']
  })
  return Object.fromEntries(faults.filter(([, fault]) => fault !== null))
}
