import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@windlass/service/process/env.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { generateBaseEnv, parseEnvFile, readOrCreateBaseEnv, rememberInBaseEnv } from './base-env.ts'
import { undecidedSettings } from './production.ts'
import { DATABASES } from './services.ts'
import { deriveVariables, readSettings, rolePassword, variablesFor } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const baseEnv = parseEnvFile(generateBaseEnv(), 'base.env')
const MAINNET = {
  IS_MAINNET: 'true',
  KYC_PROVIDER: 'didit',
  HORIZON_URL: 'https://horizon.example',
  SECOND_HORIZON_URL: 'https://horizon.partner.example',
  SMTP_URL: 'smtps://mail.example',
  ADMIN_USERNAME: 'root@example.org',
  ADMIN_PASSWORD: 'a long one of their own',
  ALLOW_PRIVATE_ADDRESSES: 'false',
  MAIL_FROM: 'Windlass <no-reply@example.org>',
  PROVIDER_WEBHOOK_SECRET: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0',
  FX_RATE_INR_USDC: '88.1',
  ANCHOR_DOMAIN_SUFFIX: 'anchors.example',
  FOUNDER_CONSOLE_URL: 'https://console.example.org',
  ADMIN_CONSOLE_URL: 'https://admin.example.org',
  CUSTOMER_PORTAL_URL: 'https://account.example.org',
  ANCHOR_RUNTIME: 'docker',
  PROVIDER_API_KEY: 'key',
  PROVIDER_WORKFLOW_ID: 'workflow',
  FUNDING_ACCOUNT: 'S…',
  NETWORK_PASSPHRASE: 'Public Global Stellar Network ; September 2015',
}

const derive = (environment: Record<string, string>, proxyPort = 80) =>
  deriveVariables(readSettings(baseEnv, environment), '/home', proxyPort)

describe('the environment', () => {
  it('wins over the base env file, also where it names a file', () => {
    const { variables } = readSettings(baseEnv, {
      SIGNER_SECRET_FILE: '/etc/signer',
      MAIL_FROM: 'Us <us@example.org>',
    })
    expect(variables.MAIL_FROM).toBe('Us <us@example.org>')
    expect(variables.SIGNER_SECRET).toBeUndefined()
    expect(variables.SERVICE_SECRET).toBe(baseEnv.SERVICE_SECRET)
  })
})

describe('the base env file', () => {
  it('is generated once, readable only by its owner, and kept', () => {
    const file = join(folder, 'base.env')
    const first = readOrCreateBaseEnv(file)
    const second = readOrCreateBaseEnv(file)
    expect(first.generated).toBe(true)
    expect(second).toEqual({ ...first, generated: false })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('has different secrets each time', () => {
    const other = parseEnvFile(generateBaseEnv(), 'base.env')
    const shared = Object.keys(baseEnv).filter(name => baseEnv[name] === other[name])
    expect(shared.filter(name => /KEY|SECRET|PASSWORD/.test(name))).toEqual([])
  })

  it('is made private again when its mode was changed', () => {
    const file = join(folder, 'open.env')
    writeFileSync(file, 'A=b\n', { mode: 0o644 })
    readOrCreateBaseEnv(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('keeps a choice for later starts', () => {
    const file = join(folder, 'choice.env')
    writeFileSync(file, 'A=b')
    rememberInBaseEnv(file, 'PROXY_PORT', '8080', 'a reason')
    expect(parseEnvFile(readFileSync(file, 'utf8'), file)).toEqual({ A: 'b', PROXY_PORT: '8080' })
  })

  it('reads comments, quotes and equals signs, and names the line it cannot read', () => {
    const text = '# note\nA=one two\n  B = "x=y"  \nexport C=\'\'\r\n\nD=a#b\n'
    expect(parseEnvFile(text, 'f')).toEqual({ A: 'one two', B: 'x=y', C: '', D: 'a#b' })
    expect(() => parseEnvFile('A=1\nnonsense', 'f')).toThrow('f, line 2')
  })
})

describe('refused settings', () => {
  it.each([
    ['mainnet with the mock', { ...MAINNET, KYC_PROVIDER: 'mock' }, /IS_MAINNET=true with KYC_PROVIDER=mock/],
    ['the mock without its second key', { ALLOW_MOCK_KYC: 'false' }, /ALLOW_MOCK_KYC=true/],
    ['mainnet on the local network', { ...MAINNET, HORIZON_URL: '' }, /HORIZON_URL/],
    ['mainnet with the mail catcher', { ...MAINNET, SMTP_URL: '' }, /SMTP_URL/],
    ['mainnet with generated administrator', { ...MAINNET, ADMIN_PASSWORD: '' }, /ADMIN_PASSWORD is not set/],
    ['production with generated administrator', { DEPLOYMENT: 'production' }, /ADMIN_USERNAME is not set/],
    ['a friendbot without its network', { FRIENDBOT_URL: 'https://friendbot.example' }, /HORIZON_URL/],
    ['an unknown deployment', { DEPLOYMENT: 'staging' }, /DEPLOYMENT/],
  ])('%s', (_, environment, message) => {
    expect(() => readSettings(baseEnv, environment)).toThrow(message)
    expect(() => readSettings(baseEnv, environment)).toThrow(ConfigError)
  })

  it.each(['0', '65536', '80a', '-1', '1.5'])('the port "%s"', port => {
    expect(() => derive({ PLATFORM_API_PORT: port })).toThrow('PLATFORM_API_PORT must be a port number')
  })

  it('names every setting of a developer’s machine at once, whatever the base env file holds', () => {
    const undecided = undecidedSettings(baseEnv, { DEPLOYMENT: 'production', IS_MAINNET: 'true' }).map(
      ({ name }) => name,
    )
    expect(undecided.toSorted()).toEqual(
      Object.keys(MAINNET)
        .filter(name => name !== 'IS_MAINNET')
        .toSorted(),
    )
    const { IS_MAINNET: _, ...decided } = MAINNET
    expect(readSettings(baseEnv, { ...decided, DEPLOYMENT: 'production' }).local).toBe(false)
    const own = { ...baseEnv, ...decided, DEPLOYMENT: 'production' }
    expect(undecidedSettings(own, {})).toEqual([])
    expect(undecidedSettings(own, { MAIL_FROM: 'Windlass <no-reply@windlass.localhost>' })).toEqual([
      expect.objectContaining({ name: 'MAIL_FROM', problem: expect.stringContaining('only this machine') }),
    ])
    expect(
      undecidedSettings(baseEnv, { ...decided, ADMIN_PASSWORD: '', ADMIN_PASSWORD_FILE: '/run/p' }),
    ).toEqual([])
  })

  it.each(['Password123456!', 'root@example.org', 'Zx9!kqLw'])(
    'names an administrator’s password that is easy to guess: %s',
    ADMIN_PASSWORD => {
      expect(undecidedSettings(baseEnv, { ...MAINNET, ADMIN_PASSWORD })).toEqual([
        expect.objectContaining({ name: 'ADMIN_PASSWORD', problem: expect.stringContaining('must') }),
      ])
    },
  )

  it.each([
    [{ FOUNDER_CONSOLE_URL: 'http://console.example.org' }, 'only over https'],
    [{ ADMIN_CONSOLE_URL: 'https://admin.anchors.example.org' }, 'below ANCHOR_DOMAIN_SUFFIX'],
    [{ CUSTOMER_PORTAL_URL: 'https://anchors.example.org' }, 'below ANCHOR_DOMAIN_SUFFIX'],
    [{ ANCHOR_DOMAIN_SUFFIX: 'https://anchors.example.org' }, 'is no domain'],
    [{ MAIL_FROM: 'Windlass' }, 'is no email address'],
  ])('names what parts cannot notice: %j', (wrong, problem) => {
    const [name] = Object.keys(wrong)
    expect(
      undecidedSettings(baseEnv, { ...MAINNET, ANCHOR_DOMAIN_SUFFIX: 'anchors.example.org', ...wrong }),
    ).toEqual([expect.objectContaining({ name, problem: expect.stringContaining(problem) })])
  })

  it('names another network’s passphrase on mainnet', () => {
    const NETWORK_PASSPHRASE = 'Test SDF Network ; September 2015'
    expect(undecidedSettings(baseEnv, { ...MAINNET, NETWORK_PASSPHRASE })).toEqual([
      expect.objectContaining({ name: 'NETWORK_PASSPHRASE', problem: `is "${NETWORK_PASSPHRASE}"` }),
    ])
  })

  it.each([
    ['processes', 'is "processes"'],
    ['', 'is not set'],
  ])('names anchors’ servers as processes on mainnet: ANCHOR_RUNTIME=%s', (ANCHOR_RUNTIME, problem) => {
    expect(undecidedSettings(baseEnv, { ...MAINNET, ANCHOR_RUNTIME })).toEqual([
      expect.objectContaining({ name: 'ANCHOR_RUNTIME', problem }),
    ])
    expect(() => readSettings(baseEnv, { ...MAINNET, ANCHOR_RUNTIME })).toThrow('ANCHOR_RUNTIME')
    expect(undecidedSettings(baseEnv, { ...MAINNET, IS_MAINNET: 'false', ANCHOR_RUNTIME })).toEqual([])
  })

  it('says each other conflict in one line', () => {
    const lines = (environment: Record<string, string>) => {
      try {
        readSettings(baseEnv, environment)
        return ''
      } catch (error) {
        return String(error)
      }
    }
    expect(lines({ ...MAINNET, KYC_PROVIDER: 'mock' })).not.toContain('\n')
    expect(lines(MAINNET)).toBe('')
  })
})

describe('addresses of the parts', () => {
  it('follow the ports', () => {
    expect(derive({ PLATFORM_API_PORT: '14000', SMTP_PORT: '11025', POSTGRES_PORT: '15432' })).toMatchObject({
      PLATFORM_URL: 'http://localhost:14000',
      SMTP_URL: 'smtp://localhost:11025',
      PROXY_HOSTS: expect.stringContaining('api.localhost=http://127.0.0.1:14000'),
      PLATFORM_DATABASE_URL: expect.stringContaining('@127.0.0.1:15432/windlass_platform'),
    })
  })

  it('use the proxy’s bound port for anchors', () => {
    expect(derive({}, 8080)).toMatchObject({
      PROXY_PORT: '8080',
      ANCHOR_INGRESS: 'http://127.0.0.1:8080',
      ANCHOR_PUBLIC_PORT: '8080',
      ALLOWED_ORIGINS: expect.stringContaining('http://console.localhost:8080'),
    })
    expect(derive({})).toMatchObject({
      ALLOWED_ORIGINS: expect.stringMatching(/http:\/\/console\.localhost,/),
    })
  })

  it('leave out the local network when another network is set', () => {
    expect(derive({ HORIZON_URL: 'https://horizon.example' })).not.toHaveProperty('FRIENDBOT_URL')
  })
})

describe('a part replaced by an external service', () => {
  it('is not started and gets no database', () => {
    const { services, databases, replaced } = readSettings(baseEnv, {
      HORIZON_URL: 'https://horizon.example',
      SMTP_URL: 'smtps://mail.example',
      SECRETS_ENDPOINT: 'https://secrets.example',
      PLATFORM_DATABASE_URL: 'postgres://db.example/platform',
    })
    const names = services.map(({ name }) => name)
    expect(names).not.toContain('local-network')
    expect(names).not.toContain('mail-catcher')
    expect(names).not.toContain('secrets-store')
    expect(databases.map(({ variable }) => variable)).not.toContain('PLATFORM_DATABASE_URL')
    expect(replaced).toHaveLength(4)
    expect(replaced.join()).toContain('Stellar network: not started, HORIZON_URL is set')
  })

  it('says where BACKUP_TO makes no backups', () => {
    const own = Object.fromEntries(DATABASES.map(({ variable }) => [variable, 'postgres://db.example/own']))
    const { replaced } = readSettings(baseEnv, { ...own, BACKUP_TO: '/mnt/backups' })
    expect(replaced.at(-1)).toMatch(/^backups: BACKUP_TO makes none/)
    expect(readSettings(baseEnv, { BACKUP_TO: '/mnt/backups' }).replaced).toEqual([])
  })

  it('is not replaced by an empty variable', () => {
    expect(readSettings(baseEnv, { SMTP_URL: '' }).replaced).toEqual([])
  })
})

describe('secrets', () => {
  it('derive passwords of roles that reveal nothing about each other', () => {
    expect(rolePassword(baseEnv, 'one')).not.toBe(rolePassword(baseEnv, 'two'))
    expect(rolePassword(baseEnv, 'one')).toBe(rolePassword(baseEnv, 'one'))
  })

  it('reach only the parts that need them, also as files; npm’s variables reach none', () => {
    const variables = { MASTER_KEY_FILE: '/run/key', MASTER_KEY: 'x', npm_config_cache: '/c', LANG: 'C' }
    expect(variablesFor('platform-api', variables)).toEqual({ LANG: 'C' })
    expect(variablesFor('control-plane', variables)).toEqual({
      MASTER_KEY_FILE: '/run/key',
      MASTER_KEY: 'x',
      LANG: 'C',
    })
  })
})
