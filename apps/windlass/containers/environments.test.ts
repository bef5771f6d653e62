import { ConfigError } from '@windlass/service/env.ts'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { generateBaseEnv, parseEnvFile, type Variables } from '../base-env.ts'
import { SERVICES } from '../services.ts'
import { SETTINGS } from '../settings-list.ts'
import {
  BEHIND_TLS,
  containerVariables,
  givenVariables,
  publishedPorts,
  writeEnvFiles,
} from './environments.ts'

const base = parseEnvFile(generateBaseEnv(), 'base.env')
const variablesWith = (environment: Variables, tls = false) =>
  containerVariables(
    { ...(tls ? BEHIND_TLS : {}), ...givenVariables(base, environment) },
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
    expect(readdirSync(folder).toSorted()).toEqual(names.toSorted())
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('include no secret of another part', () => {
    const variables = variablesWith({})
    writeEnvFiles(folder, variables)
    for (const { name } of SERVICES) {
      const text = readFileSync(join(folder, `${name}.env`), 'utf8')
      for (const { name: secret, secretOf } of SETTINGS) {
        if (variables[secret] === undefined || secretOf === undefined) continue
        expect(text.includes(`\n${secret}=`) || text.startsWith(`${secret}=`), `${secret} for ${name}`).toBe(
          secretOf.includes(name),
        )
      }
    }
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

  it('put anchors at https behind Caddy and trust only its headers', () => {
    const behind = variablesWith({}, true)
    expect(behind).toMatchObject(BEHIND_TLS)
    expect(behind.ALLOWED_ORIGINS).toContain('https://console.localhost')
    expect(publishedPorts({}, true).PROXY_PORT).toBe('8081')
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
