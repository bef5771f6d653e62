import { ConfigError, optional } from '@windlass/service/process/env.ts'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { generateBaseEnv, parseEnvFile, type Variables } from '../base-env.ts'
import { SERVICES } from '../services.ts'
import { SETTINGS } from '../settings-list.ts'
import {
  behindTls,
  containerVariables,
  givenVariables,
  publishedPorts,
  writeEnvFiles,
} from './environments.ts'

const base = parseEnvFile(generateBaseEnv(), 'base.env')
const variablesWith = (environment: Variables, tls = false) =>
  containerVariables(
    { ...(tls ? behindTls(environment.TLS_ISSUER) : {}), ...givenVariables(base, environment) },
    publishedPorts(environment, tls),
  )

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-env-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('variables of parts in containers', () => {
  it('are in one file for each part and for Postgres, readable only by their owner', () => {
    writeEnvFiles(folder, variablesWith({}))
    const names = [...SERVICES.map(({ name }) => name), 'postgres'].map(name => `${name}.env`)
    expect(readdirSync(folder).toSorted()).toEqual([...names, 'secrets'].toSorted())
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('name the files of a part’s own secrets, and contain no secret', () => {
    const variables = variablesWith({})
    writeEnvFiles(folder, variables)
    const secrets = SETTINGS.filter(({ secretOf }) => secretOf !== undefined)
    const values = secrets.flatMap(({ name }) => variables[name] ?? [])
    for (const part of [...SERVICES.map(({ name }) => name), 'postgres']) {
      const text = readFileSync(join(folder, `${part}.env`), 'utf8')
      for (const value of values) expect(text).not.toContain(value)
      const env = parseEnvFile(text, part)
      for (const { name, secretOf } of secrets) {
        const reads = part === 'postgres' ? name === 'POSTGRES_PASSWORD' : secretOf?.includes(part)
        const file = reads && variables[name] !== undefined ? `/run/secrets/${name}` : undefined
        expect(env[`${name}_FILE`], `${name} for ${part}`).toBe(file)
      }
    }
  })

  it('leave secrets in files that containers’ users read and nobody else on this machine reaches', () => {
    const variables = variablesWith({ ADMIN_PASSWORD: 'with $ and "' })
    writeEnvFiles(folder, variables)
    const secrets = join(folder, 'secrets')
    expect(statSync(secrets).mode & 0o777).toBe(0o700)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(secrets)) {
      expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o644)
      expect(readFileSync(join(secrets, name), 'utf8')).toBe(variables[name] ?? '')
    }
    expect(optional({ ADMIN_PASSWORD_FILE: join(secrets, 'ADMIN_PASSWORD') }, 'ADMIN_PASSWORD')).toBe(
      'with $ and "',
    )
  })

  it('change with a secret of the part, so that compose starts it again, and only then', () => {
    const texts = () =>
      ['signer', 'platform-api'].map(part => readFileSync(join(folder, `${part}.env`), 'utf8'))
    writeEnvFiles(folder, variablesWith({}))
    const long = new Date('2026-01-01T00:00:00Z')
    for (const name of readdirSync(join(folder, 'secrets'))) {
      utimesSync(join(folder, 'secrets', name), long, long)
    }
    writeEnvFiles(folder, variablesWith({}))
    const [signer, platform] = texts()
    expect(signer).toContain('SECRETS_CHANGED_AT=2026-01-01T00:00:00.000Z')
    writeEnvFiles(folder, variablesWith({ SIGNER_KEY: 'v2:another' }))
    const [signerAfter, platformAfter] = texts()
    expect(signerAfter).not.toBe(signer)
    expect(platformAfter).toBe(platform)
  })

  it('contain what NAME_FILE names on this machine, which containers do not see', () => {
    const file = join(folder, 'given')
    writeFileSync(file, 'https://horizon.example\n')
    const variables = variablesWith({ HORIZON_URL_FILE: file, ADMIN_PASSWORD_FILE: file })
    expect(variables).toMatchObject({
      HORIZON_URL: 'https://horizon.example',
      ADMIN_PASSWORD: 'https://horizon.example',
    })
    expect(Object.keys(variables).filter(name => name.endsWith('_FILE'))).toEqual([])
    expect(() => variablesWith({ ADMIN_PASSWORD_FILE: join(folder, 'none') })).toThrow(ConfigError)
  })

  it('address other parts by name and anchors as containers', () => {
    expect(variablesWith({})).toMatchObject({
      PLATFORM_URL: 'http://platform-api:4000',
      ANCHOR_INGRESS: 'http://reverse-proxy:80',
      ANCHOR_RUNTIME: 'docker',
      ANCHOR_PUBLIC_PORT: '80',
      BIND_HOST: '0.0.0.0',
    })
  })

  it('use changed ports in public addresses only', () => {
    const moved = variablesWith({ PROXY_PORT: '8080', FOUNDER_CONSOLE_PORT: '5001' })
    expect(moved.ANCHOR_PUBLIC_PORT).toBe('8080')
    expect(moved.FOUNDER_CONSOLE_URL).toBe('http://localhost:5001')
    expect(moved.ALLOWED_ORIGINS).toContain('http://console.localhost:8080')
    expect(moved).not.toHaveProperty('PROXY_PORT')
    expect(moved).not.toHaveProperty('FOUNDER_CONSOLE_PORT')
  })

  it('let the consoles write from their public addresses, and lead there', () => {
    const given = {
      FOUNDER_CONSOLE_URL: 'https://console.example.org',
      ADMIN_CONSOLE_URL: 'https://ops.example.net/',
    }
    const { ALLOWED_ORIGINS = '', PROXY_HOSTS = '' } = containerVariables(given, publishedPorts({}, true))
    expect(ALLOWED_ORIGINS.split(',')).toEqual(
      expect.arrayContaining(['operator=https://console.example.org', 'admin=https://ops.example.net']),
    )
    expect(PROXY_HOSTS.split(',')).toEqual(
      expect.arrayContaining([
        'console.example.org=http://founder-console:4001',
        'ops.example.net=http://admin-console:4002',
      ]),
    )
  })

  it('put anchors at https behind Caddy and trust only its headers', () => {
    const behind = variablesWith({}, true)
    expect(behind).toMatchObject({ ...behindTls(), ANCHOR_INGRESS: 'https://caddy:443' })
    expect(behind.ALLOWED_ORIGINS).toContain('https://console.localhost')
    expect(publishedPorts({}, true).PROXY_PORT).toBe('8081')
  })

  it('reach anchors inside of an authority of Caddy’s own, which nothing trusts', () => {
    const behind = variablesWith({ TLS_ISSUER: 'internal' }, true)
    expect(behind).toMatchObject({ ANCHOR_INGRESS: 'http://reverse-proxy:80', ANCHOR_PUBLIC_PORT: '443' })
  })

  it('take only known settings from the environment', () => {
    const variables = variablesWith({
      HORIZON_URL: 'https://horizon.example',
      SHELL: '/bin/sh',
      ADMIN_PASSWORD: 'p',
    })
    expect(variables).toMatchObject({ HORIZON_URL: 'https://horizon.example', ADMIN_PASSWORD: 'p' })
    expect(variables).not.toHaveProperty('SHELL')
  })

  it.each(['a\nSERVICE_SECRET=b', 'a$HOME'])('refuse a value that compose would change: %j', value => {
    expect(() => writeEnvFiles(folder, variablesWith({ MAIL_FROM: value }))).toThrow(ConfigError)
  })
})
