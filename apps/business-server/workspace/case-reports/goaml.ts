import type { GoamlSettings } from '@windlass/contracts/anchor/report-settings.ts'
import { countries } from '@windlass/contracts/countries.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Transfer } from '../../tables.ts'
import type { Reported, ReportedPerson, ReportedTransfer } from './subject.ts'
import { line, type Node } from './xml.ts'

/*
 * A draft of a report for goAML, which financial intelligence units of many countries use: their schema, version 4, in its order.
 * Each unit gives out codes and numbers of its own: the settings have them, or they are the filer's to set.
 */

const text = (name: string, value: string | null | undefined, most = 255): Node | null => {
  const given = line(value, most)
  return given === '' ? null : [name, given]
}
const time = (at: Date): string => at.toISOString().slice(0, 19)
const UNKNOWN = 'UNKNOWN'

/** What a unit gives its members, until the settings say it: `K` and `E` are of goAML's first list, for an electronic transfer. */
const noSettings = (currency: string): GoamlSettings => ({
  ...{ rentityId: 0, currency, submissionCode: 'E', reportCodes: { transactions: 'STR', activity: 'SAR' } },
  ...{ fundsCode: 'K', transmodeCode: 'E', accountType: null, accountStatus: null, swift: null },
  ...{ indicators: [UNKNOWN], person: { firstName: UNKNOWN, lastName: UNKNOWN }, unknown: {} },
})

/** @param local the currency of the unit's country: amounts of transactions are in it. */
export function goaml(reported: Reported, local: string, given: GoamlSettings | null): Node {
  const { file, filer, at, transfers, narrative, people } = reported
  const first = people[0]
  const settings = { ...(given ?? noSettings(local)), currency: local }
  const { submissionCode, reportCodes, currency, person } = settings
  return [
    'report',
    [
      ['rentity_id', settings.rentityId],
      ['submission_code', submissionCode],
      ['report_code', transfers.length > 0 ? reportCodes.transactions : reportCodes.activity],
      text('entity_reference', file.case.id),
      ['submission_date', time(at)],
      ['currency_code_local', currency],
      [
        'reporting_person',
        [['first_name', person.firstName], ['last_name', person.lastName], text('email', filer.email)],
      ],
      ['reason', line(narrative, 4_000) || UNKNOWN],
      ['action', line(file.case.outcome ?? 'under review', 255)],
      ...(transfers.length > 0
        ? transfers.map(each => transaction(reported, each, settings))
        : [['activity', [['report_parties', first ? [party(first)] : []]]] as const]),
      ['report_indicators', settings.indicators.map(code => ['indicator', code] as const)],
    ],
  ]
}

const party = (person: ReportedPerson): Node => [
  'report_party',
  [
    ['person', personFields(person)],
    ['significance', 5],
    ['reason', UNKNOWN],
  ],
]

function transaction(
  { people, filer }: Reported,
  { transfer, payee }: ReportedTransfer,
  settings: GoamlSettings,
): Node {
  const { currency } = settings
  const { id, rail, created_at, reference, amount, currency: ofRail, fiat_amount } = transfer
  const person = people.find(each => each.id === transfer.customer_id)
  const money = ofRail === currency ? fiat_amount : null
  const ofCustomer = (side: 'from' | 'to') => clientSide(side, person, filer.name, transfer, settings)
  const isDeposit = transfer.direction === 'deposit'
  return [
    'transaction',
    [
      ['transactionnumber', id],
      text('internal_ref_number', reference, 50),
      text('transaction_location', filer.homeDomain),
      text('transaction_description', `${transfer.direction} over ${rail}, ${amount ?? ''} units`, 4_000),
      ['date_transaction', time(created_at)],
      ['transmode_code', settings.transmodeCode],
      text('transmode_comment', rail, 50),
      ['amount_local', money === null ? '0' : formatAmount(parseAmount(money))],
      isDeposit ? otherSide('from', person, null, settings) : ofCustomer('from'),
      isDeposit ? ofCustomer('to') : otherSide('to', person, payee, settings),
      text('comments', money === null ? `${fiat_amount ?? ''} ${ofRail}` : null, 4_000),
    ],
  ]
}

const countryOf = (person: ReportedPerson | undefined): string =>
  countries.get(
    person?.fields.address_country_code ?? person?.fields['organization.address_country_code'] ?? '',
  ) ?? UNKNOWN

/** The customer's account here: an account on the ledger. */
const clientSide = (
  side: 'from' | 'to',
  person: ReportedPerson | undefined,
  institution: string,
  { stellar_account }: Transfer,
  { fundsCode, swift, accountType, accountStatus }: GoamlSettings,
): Node => [
  `t_${side}_my_client`,
  [
    [`${side}_funds_code`, fundsCode],
    [
      `${side}_account`,
      [
        ['institution_name', line(institution, 255)],
        swift === null ? ['institution_code', UNKNOWN] : ['swift', swift],
        ['account', stellar_account],
        ['currency_code', 'XXX'],
        text('personal_account_type', accountType),
        person ? signatory(person) : null,
        text('status_code', accountStatus),
      ],
    ],
    [`${side}_country`, countryOf(person)],
  ],
]

const signatory = (person: ReportedPerson): Node => [
  'signatory',
  [
    ['is_primary', 'true'],
    ['t_person', personFields(person)],
  ],
]

/** A bank account where it is known, else the person. */
function otherSide(
  side: 'from' | 'to',
  person: ReportedPerson | undefined,
  payee: ReportedTransfer['payee'],
  { fundsCode }: GoamlSettings,
): Node {
  const of: Node = payee
    ? [
        `${side}_account`,
        [
          ['institution_name', UNKNOWN],
          ['institution_code', UNKNOWN],
          ['account', line(payee.account, 50)],
          text('account_name', payee.holder),
        ],
      ]
    : [`${side}_person`, person ? personFields(person) : unknownPerson]
  return [`t_${side}`, [[`${side}_funds_code`, fundsCode], of, [`${side}_country`, countryOf(person)]]]
}

const unknownPerson: readonly Node[] = [
  ['first_name', UNKNOWN],
  ['last_name', UNKNOWN],
]

function personFields({ fields, verifiedName }: ReportedPerson): (Node | null)[] {
  const last = line(fields.last_name ?? fields['organization.name'], 100) || UNKNOWN
  const birth = /^\d{4}-\d{2}-\d{2}$/.test(fields.birth_date ?? '') ? `${fields.birth_date}T00:00:00` : null
  const country = countries.get(fields.address_country_code ?? '') ?? null
  return [
    text('gender', { male: 'M', female: 'F' }[fields.sex ?? '']),
    ['first_name', line(fields.first_name, 100) || UNKNOWN],
    text('middle_name', fields.additional_name, 100),
    ['last_name', last],
    text('birthdate', birth),
    text('alias', verifiedName, 100),
    text('id_number', fields.id_number),
    text('nationality1', countries.get(fields.id_country_code ?? '')),
    text('residence', country),
    fields.address || fields.city
      ? [
          'addresses',
          [
            [
              'address',
              [
                ['address_type', 1],
                ['address', line(fields.address, 100) || UNKNOWN],
                ['city', line(fields.city, 255) || UNKNOWN],
                text('zip', fields.postal_code, 10),
                ['country_code', country ?? UNKNOWN],
                text('state', fields.state_or_province),
              ],
            ],
          ],
        ]
      : null,
    text('email', fields.email_address),
    text('occupation', fields.occupation),
  ]
}
