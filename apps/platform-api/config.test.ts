import { ConfigError } from '@windlass/service/process/env.ts'
import { childEnvironment } from '@windlass/testing/processes.ts'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'
import { productionEnv, testEnv } from './testing/app.ts'

const production = { ...testEnv, ...productionEnv, DEPLOYMENT: undefined }

describe('the configuration', () => {
  it('is local with little and strict without DEPLOYMENT', () => {
    expect(loadConfig(testEnv)).toMatchObject({
      deployment: { local: true, mainnet: false },
      rateFactor: 100,
    })
    const config = loadConfig(production)
    expect(config).toMatchObject({
      deployment: { local: false },
      rateFactor: 1,
      allowPrivateAddresses: false,
    })
    expect(config.urls.founderConsole).toBe('https://console.windlass.example')
  })

  it.each([
    ['no administrator’s password', { ADMIN_PASSWORD: undefined }, 'ADMIN_PASSWORD'],
    ['a short one', { ADMIN_PASSWORD: 'Zx9!kqLw' }, 'ADMIN_PASSWORD'],
    ['a default one', { ADMIN_PASSWORD: 'admin123456789' }, 'ADMIN_PASSWORD'],
    ['a common one', { ADMIN_PASSWORD: 'Password123456!' }, 'ADMIN_PASSWORD'],
    ['one letter over and over', { ADMIN_PASSWORD: 'aaaaaaaaaaaaaaaa' }, 'ADMIN_PASSWORD'],
    [
      'the user name',
      { ADMIN_USERNAME: 'root@windlass.example', ADMIN_PASSWORD: 'root@windlass.example' },
      'ADMIN_PASSWORD',
    ],
    ['no mail server', { SMTP_URL: undefined }, 'SMTP_URL'],
    ['AWS without a region', { SECRETS_ENDPOINT: undefined }, 'AWS_REGION'],
    ['no founder console', { FOUNDER_CONSOLE_URL: undefined }, 'FOUNDER_CONSOLE_URL'],
    ['a short service secret', { SERVICE_SECRET: 'short' }, 'SERVICE_SECRET'],
    ['one key for two realms', { CUSTOMER_TOKEN_KEY: testEnv.ADMIN_TOKEN_KEY }, 'must differ'],
    ['a broken sealing key', { PLATFORM_KEY: 'v1:abc' }, 'PLATFORM_KEY'],
    [
      'the address of a configuration as issuer',
      { ADMIN_OIDC_ISSUER: 'https://login.windlass.example/.well-known/openid-configuration' },
      'ADMIN_OIDC_ISSUER',
    ],
    ['an account of the audit log that is none', { AUDIT_LEDGER_KEY: 'SX' }, 'AUDIT_LEDGER_KEY'],
    ['an origin that is none', { ALLOWED_ORIGINS: 'https://a.example,nonsense' }, 'ALLOWED_ORIGINS'],
    ['an origin of no realm', { ALLOWED_ORIGINS: 'founder=https://a.example' }, 'ALLOWED_ORIGINS'],
    ['the mock without its second variable', { ALLOW_MOCK_KYC: undefined }, 'ALLOW_MOCK_KYC'],
    ['the mock on the public network', { IS_MAINNET: 'true' }, 'mock'],
  ])('is refused in production with %s, in one line', (_what, changes, named) => {
    const load = () => loadConfig({ ...production, ...changes })
    expect(load).toThrow(ConfigError)
    expect(load).toThrow(new RegExp(`^.*${named}.*$`))
  })

  it('ends the process with one clear line for the mock on the public network', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL('./main.ts', import.meta.url))],
      {
        env: { ...production, DEPLOYMENT: 'local', IS_MAINNET: 'true', ...childEnvironment() },
        encoding: 'utf8',
      },
    )
    expect([status, stdout]).toEqual([78, ''])
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(/^platform-api: .*mock.*$/)])
  })
})
