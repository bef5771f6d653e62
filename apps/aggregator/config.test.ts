import { ConfigError, type Env } from '@windlass/service/process/env.ts'
import { describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'

const env = { SERVICE_SECRET: 's'.repeat(32), AGGREGATOR_DATABASE_URL: 'postgres://localhost/aggregator' }

describe('the configuration', () => {
  it('is strict in production and open on a laptop', () => {
    expect(loadConfig(env)).toMatchObject({
      port: 3005,
      local: false,
      outbound: { allowPrivate: false },
      requireDomainProof: false,
      pollSeconds: 15,
      fixedRates: { INR: { numerator: 885n, digits: 1 } },
    })
    expect(loadConfig({ ...env, IS_MAINNET: 'true' }).requireDomainProof).toBe(true)
    expect(loadConfig({ ...env, DEPLOYMENT: 'local' }).outbound.allowPrivate).toBe(true)
    expect(loadConfig({ ...env, DEPLOYMENT: 'local', IS_MAINNET: 'true' }).outbound.allowPrivate).toBe(false)
  })

  it('quotes by every fixed rate, as anchors do', () => {
    const rates = (changes: Env) => Object.keys(loadConfig({ ...env, ...changes }).fixedRates).sort()
    expect(rates({})).toEqual(['INR'])
    expect(rates({ DEPLOYMENT: 'local' })).toEqual(['EUR', 'INR'])
    expect(rates({ FX_RATE_EUR_USDC: '0.9', FX_RATE_XLM_USDC: '8' })).toEqual(['EUR', 'INR', 'XLM'])
    const { fixedRates } = loadConfig({ ...env, DEPLOYMENT: 'local', FX_RATE_EUR_USDC: '0.9' })
    expect(fixedRates.EUR).toEqual({ numerator: 9n, digits: 1 })
  })

  it('seals under a key of its own where it has one, else under one derived from the service secret', () => {
    const derived = loadConfig(env).sealer
    expect(loadConfig(env).sealer.open(derived.seal('secret', 'x'), 'x')).toBe('secret')
    const key = Buffer.alloc(32, 7).toString('base64')
    const own = loadConfig({ ...env, AGGREGATOR_KEY: `v1:${key}` }).sealer
    expect(() => own.open(derived.seal('secret', 'x'), 'x')).toThrow()
    const later = loadConfig({ ...env, AGGREGATOR_KEY: `v2:${key}` }).sealer
    expect(later.open(derived.seal('secret', 'x'), 'x')).toBe('secret')
    expect(() => derived.open(later.seal('secret', 'x'), 'x')).toThrow()
  })

  it.each([
    [{ SERVICE_SECRET: 'short' }, 'SERVICE_SECRET must have at least 32 characters'],
    [{ FX_RATE_INR_USDC: '0' }, 'FX_RATE_INR_USDC must be a decimal number above 0'],
    [{ FX_RATE_INR_USDC: 'much' }, 'FX_RATE_INR_USDC must be a decimal number above 0'],
    [{ FX_RATE_EUR_USDC: 'few' }, 'FX_RATE_EUR_USDC must be a decimal number above 0'],
    [{ HEALTH_POLL_SECONDS: '0' }, 'HEALTH_POLL_SECONDS must be at least 1'],
    [{ AGGREGATOR_DATABASE_URL: '' }, 'AGGREGATOR_DATABASE_URL is not set'],
    [{ AGGREGATOR_KEY: 'short' }, 'AGGREGATOR_KEY: a key must look like'],
  ])('refuses %o in one clear line', (changes, line) => {
    expect(() => loadConfig({ ...env, ...changes })).toThrow(ConfigError)
    expect(() => loadConfig({ ...env, ...changes })).toThrow(line)
  })
})
