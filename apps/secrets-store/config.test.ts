import { ConfigError } from '@windlass/service/process/env.ts'
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'

const env = {
  SECRETS_STORE_DATABASE_URL: 'postgres://localhost/secrets',
  SECRETS_STORE_KEY: `v1:${randomBytes(32).toString('base64')}`,
  AWS_ACCESS_KEY_ID: 'AKIDWINDLASS',
  AWS_SECRET_ACCESS_KEY: 'x'.repeat(40),
}

describe('the secrets store', () => {
  it('listens on 4566 of this machine by default', () => {
    expect(loadConfig(env)).toMatchObject({ port: 4566, bindHost: 'localhost', region: 'local' })
    expect(loadConfig({ ...env, SECRETS_STORE_PORT: '1', BIND_HOST: '0.0.0.0' })).toMatchObject({
      port: 1,
      bindHost: '0.0.0.0',
    })
  })

  it.each([
    ...Object.keys(env).map(name => [name, undefined] as const),
    ['SECRETS_STORE_KEY', 'v1:short'] as const,
    ['AWS_SECRET_ACCESS_KEY', 'short'] as const,
  ])('does not start with %s being %s, and says so', (name, value) => {
    const wrong = () => loadConfig({ ...env, [name]: value })
    expect(wrong).toThrow(ConfigError)
    expect(wrong).toThrow(name)
  })
})
