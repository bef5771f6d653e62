import { accountChecks } from '@windlass/contracts/platform/account-numbers.ts'
import { credentialFaults, credentialFields } from '@windlass/contracts/platform/rail-credentials.ts'
import { ConfigError } from '@windlass/service/process/env.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readRailSettings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-rails-'))
afterAll(() => rmSync(folder, { recursive: true }))

const where = { rails: ['UPI', 'SEPA'], mainnet: false, fallbackSecret: 'f'.repeat(32) }
const read = (document: unknown, more: Partial<typeof where> = {}) => {
  const file = join(folder, 'rail_credentials.json')
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
  return readRailSettings({ RAIL_CREDENTIALS_FILE: file }, { ...where, ...more })
}

describe('the credentials of the rails', () => {
  it('may be missing on a test network: the rails are simulated, each with a secret of its own', () => {
    const settings = readRailSettings({ RAIL_CREDENTIALS_FILE: join(folder, 'nothing.json') }, where)
    const [upi, sepa] = [...settings.values()]
    expect(upi).toMatchObject({ name: 'UPI', provider: 'simulated', credentials: {} })
    expect(upi?.webhookSecrets).toHaveLength(1)
    expect(upi?.webhookSecrets).not.toEqual(sepa?.webhookSecrets)
  })

  it('reach the rail they are for, and common values reach every rail', () => {
    const settings = read({
      credentials: {
        accountHolder: 'Mumbai Pay',
        merchantId: 'm-1',
        upi: { vpa: 'mumbai@bank', webhookSecret: 'w'.repeat(20) },
      },
      SEPA: { iban: 'DE89370400440532013000' },
    })
    expect(settings.get('UPI')).toMatchObject({
      credentials: { accountHolder: 'Mumbai Pay', vpa: 'mumbai@bank' },
      webhookSecrets: ['w'.repeat(20)],
    })
    expect(settings.get('SEPA')?.credentials).toEqual({
      accountHolder: 'Mumbai Pay',
      iban: 'DE89370400440532013000',
    })
  })

  it('hold two secrets while one is rotated', () => {
    const webhookSecret = `${'n'.repeat(16)}, ${'o'.repeat(16)}`
    expect(read({ webhookSecret }).get('UPI')?.webhookSecrets).toEqual(['n'.repeat(16), 'o'.repeat(16)])
  })

  it('are what the founder console asks for: every field of the contract reaches the rail', () => {
    for (const rail of ['UPI', 'SEPA', 'ACH', 'IMPS', 'NEFT']) {
      const examples: Record<string, string> = {
        accountHolder: 'Mumbai Pay',
        webhookSecret: 'w'.repeat(16),
        vpa: 'mumbai@okbank',
        iban: 'DE89 3704 0044 0532 0130 00',
        bic: 'COBADEFF',
        accountNumber: '12345678',
        routingNumber: '021000021',
        ifsc: 'SBIN0001234',
      }
      const fields = Object.keys(credentialFields('simulated', rail))
      const given = Object.fromEntries(fields.map(name => [name, examples[name] ?? '']))
      expect(credentialFaults(rail, given, accountChecks)).toEqual({})
      const settings = read({ credentials: { [rail]: given } }, { rails: [rail] }).get(rail)
      expect(settings?.webhookSecrets).toEqual([given.webhookSecret])
      expect({ ...settings?.credentials, webhookSecret: given.webhookSecret }).toEqual(given)
    }
  })

  it.each([
    ['SEPA', { iban: 'DE89370400440532013001', bic: 'COBADEFFXXX' }, 'iban'],
    ['SEPA', { iban: 'DE89370400440532013000', bic: 'COBAZZFFXXX' }, 'bic'],
    ['SEPA', { bic: 'COBADEFFXXX' }, 'iban'],
    [
      'ACH',
      { accountNumber: '12345678', routingNumber: '021000022', companyId: '1234567890' },
      'routingNumber',
    ],
    ['NEFT', { accountNumber: '50100012345678', ifsc: 'HDFC1001234' }, 'ifsc'],
  ])('name what is wrong with the account of %s on every network: %j', (rail, given, field) => {
    const bankFile = { provider: 'bank-file', accountHolder: 'Mumbai Pay', ...given }
    for (const mainnet of [false, true])
      expect(read({ [rail]: bankFile }, { rails: [rail], mainnet }).get(rail)?.accountFault).toBe(field)
  })

  it('have no wrong account where a simulated rail has none', () => {
    expect(read({}).get('SEPA')?.accountFault).toBeNull()
    expect(read({ SEPA: { iban: 'DE89370400440532013001' } }).get('SEPA')?.accountFault).toBe('iban')
  })

  it('are those of the newest version of a rail, and the accounts of earlier ones are kept', () => {
    const bank = (iban: string) => ({ provider: 'bank-file', iban, bic: 'COBADEFFXXX', accountHolder: 'M' })
    const version = (iban: string, rail = 'SEPA') => ({ rail, credentials: bank(iban) })
    const first = 'DE89 3704 0044 0532 0130 00'
    const [second, third] = ['DE02120300000000202051', 'DE02500105170137075030']
    const settings = read({ SEPA: bank(first), versions: [version(second), version(third)] }).get('SEPA')
    expect(settings).toMatchObject({
      provider: 'bank-file',
      credentials: { iban: third },
      earlierAccounts: ['DE89370400440532013000', second],
      accountFault: null,
    })
    const back = read({ SEPA: bank(second), versions: [version(third), version(second)] }).get('SEPA')
    expect(back).toMatchObject({ credentials: { iban: second }, earlierAccounts: [third] })
  })

  it('leave a wrong value out on a test network', () => {
    const settings = read({ UPI: { vpa: 'no-at-sign', accountHolder: 'Mumbai Pay' } }).get('UPI')
    expect(settings?.credentials).toEqual({ accountHolder: 'Mumbai Pay' })
  })

  it.each([[null], [[]], ['"text"'], [{ credentials: 'text' }], [{ UPI: [1] }], [{ provider: 'acme' }]])(
    'that say %j keep no test anchor down',
    document => {
      expect(read(document).get('UPI')?.provider).toBe('simulated')
    },
  )

  it('must name a provider that is there on the public network', () => {
    const mainnet = { mainnet: true }
    expect(() => readRailSettings({}, { ...where, ...mainnet })).toThrow(/UPI is simulated/)
    expect(() => read({ vpa: 'a@b' }, mainnet)).toThrow(ConfigError)
    expect(() => read({ provider: 'Simulated' }, mainnet)).toThrow(/needs a provider that moves money/)
    expect(() => read({ provider: 'acme' }, mainnet)).toThrow(/no adapter for the provider acme/)
  })

  it('may name bank files on the public network, with the whole account', () => {
    const mainnet = { mainnet: true, rails: ['SEPA', 'ACH', 'UPI'] }
    const sepa = { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', accountHolder: 'Mumbai Pay' }
    const of = (rail: string, given: object) =>
      read({ [rail]: { provider: 'bank-file', ...given } }, { ...mainnet, rails: [rail] }).get(rail)
    expect(of('SEPA', sepa)).toMatchObject({ provider: 'bank-file', credentials: sepa })
    for (const missing of ['iban', 'bic'])
      expect(of('SEPA', { ...sepa, [missing]: undefined })?.accountFault).toBe(missing)
    expect(() => of('SEPA', { ...sepa, accountHolder: undefined })).toThrow('accountHolder is missing')
    const ach = { accountNumber: '12345678', routingNumber: '021000021', accountHolder: 'Mumbai Pay' }
    expect(() => of('ACH', ach)).toThrow(/companyId is missing/)
    expect(() => of('UPI', {})).toThrow(/does not serve UPI/)
  })

  it('that are no JSON, or cannot be read, are said to be so', () => {
    expect(() => read('{')).toThrow(/is not JSON/)
    expect(() => readRailSettings({ RAIL_CREDENTIALS_FILE: folder }, where)).toThrow(/cannot be read/)
  })
})
