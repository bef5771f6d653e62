import { ConfigError } from '@windlass/service/env.ts'
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

  it('are handed to the rail they are for, and what stands beside to all', () => {
    const settings = read({
      credentials: { merchantId: 'm-1', upi: { vpa: 'mumbai@bank', webhookSecret: 'w'.repeat(20) } },
      SEPA: { iban: 'DE89370400440532013000' },
    })
    expect(settings.get('UPI')).toMatchObject({
      credentials: { merchantId: 'm-1', vpa: 'mumbai@bank' },
      webhookSecrets: ['w'.repeat(20)],
    })
    expect(settings.get('SEPA')?.credentials).toEqual({ merchantId: 'm-1', iban: 'DE89370400440532013000' })
  })

  it('hold two secrets while one is rotated', () => {
    const webhookSecret = `${'n'.repeat(16)}, ${'o'.repeat(16)}`
    expect(read({ webhookSecret }).get('UPI')?.webhookSecrets).toEqual(['n'.repeat(16), 'o'.repeat(16)])
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
    expect(() => read({ provider: 'Simulated' }, mainnet)).toThrow(/must not be on the public network/)
    expect(() => read({ provider: 'acme' }, mainnet)).toThrow(/needs an adapter for acme/)
  })

  it('that are no JSON, or cannot be read, are said to be so', () => {
    expect(() => read('{')).toThrow(/no JSON/)
    expect(() => readRailSettings({ RAIL_CREDENTIALS_FILE: folder }, where)).toThrow(/cannot be read/)
  })
})
