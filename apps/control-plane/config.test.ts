import { ConfigError } from '@windlass/service/process/env.ts'
import { describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'

const env = {
  DEPLOYMENT: 'local',
  CONTROL_PLANE_DATABASE_URL: 'postgres://localhost/cp',
  ANCHORS_DATABASE_URL: 'postgres://localhost/postgres',
  MASTER_KEY: `v1:${Buffer.alloc(32).toString('base64')}`,
  SERVICE_SECRET: 's'.repeat(40),
  SIGNER_SECRET: 'g'.repeat(40),
}

describe('the settings of the control plane', () => {
  it('have what a stack on this machine needs', () => {
    const config = loadConfig(env)
    expect(config).toMatchObject({ port: 3002, local: true, mainnet: false })
    expect(config.ledger.friendbotUrl).toBe('http://localhost:8000/friendbot')
    expect(config.anchors.scheme).toBe('http')
  })

  it('keep leases short, so that one of hours is known to be of a clock that was set back', () => {
    const leases = ['1', '15', '3600'].map(
      LEASE_SECONDS => loadConfig({ ...env, LEASE_SECONDS }).work.leaseSeconds,
    )
    expect(leases).toEqual([2, 15, 300])
  })

  it('let contract accounts log in only with an RPC and its contract', () => {
    expect(loadConfig(env).ledger.contractLogin).toBeNull()
    const contract = 'CD3LA6RKF5D2FN2R2L57MWXLBRSEWWENE74YBEFZSSGNJRJGICFGQXMX'
    const rpc = { STELLAR_RPC_URL: 'https://soroban-testnet.stellar.org' }
    expect(loadConfig({ ...env, ...rpc, WEB_AUTH_CONTRACT_ID: contract }).ledger.contractLogin).toEqual({
      rpcUrl: rpc.STELLAR_RPC_URL,
      contract,
    })
    for (const wrong of [rpc, { WEB_AUTH_CONTRACT_ID: contract }, { ...rpc, WEB_AUTH_CONTRACT_ID: 'C1' }])
      expect(() => loadConfig({ ...env, ...wrong })).toThrow(ConfigError)
  })

  it('let anchors’ servers log and trace as the platform does', () => {
    expect(loadConfig(env).anchors.observed).toEqual({})
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318'
    const observed = { LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT }
    expect(loadConfig({ ...env, ...observed }).anchors.observed).toEqual(observed)
  })

  it('let anchors’ servers leave the network as the platform does', () => {
    const given = { HTTPS_PROXY: 'http://proxy.example:3128', no_proxy: 'horizon.example' }
    expect(loadConfig({ ...env, ...given }).anchors.observed).toEqual({
      HTTPS_PROXY: 'http://proxy.example:3128',
      NO_PROXY: 'horizon.example',
    })
  })

  it('let anchors’ servers reach a stand-in of a rail’s provider, outside of production alone', () => {
    const given = { ...env, RAIL_PROVIDER_URL: 'http://127.0.0.1:9000' }
    expect(loadConfig(given).anchors.railProviderUrl).toBe('http://127.0.0.1:9000')
    expect(loadConfig({ ...given, DEPLOYMENT: 'production' }).anchors.railProviderUrl).toBeUndefined()
  })

  it('take anchors for reached over TLS in production', () => {
    expect(loadConfig({ ...env, DEPLOYMENT: 'production' }).anchors.scheme).toBe('https')
  })

  it.each([
    [
      'the mock identity provider on the public network',
      { IS_MAINNET: 'true', KYC_PROVIDER: 'mock', ALLOW_MOCK_KYC: 'true' },
      /mock/,
    ],
    [
      'the public network with one source of the ledger',
      { IS_MAINNET: 'true', ANCHOR_RUNTIME: 'docker' },
      /SECOND_HORIZON_URL or SECOND_RPC_URL must be set/,
    ],
    [
      'a second source at the host of the first',
      {
        ...{ IS_MAINNET: 'true', ANCHOR_RUNTIME: 'docker' },
        ...{ HORIZON_URL: 'https://ledger.example/horizon', SECOND_RPC_URL: 'https://ledger.example/rpc' },
      },
      /must be someone else’s/,
    ],
    [
      'a full history at the host of the first',
      {
        ...{ IS_MAINNET: 'true', ANCHOR_RUNTIME: 'docker', SECOND_RPC_URL: 'https://rpc.example' },
        ...{ HORIZON_URL: 'https://ledger.example', HISTORY_HORIZON_URL: 'https://ledger.example/full' },
      },
      /HISTORY_HORIZON_URL is at ledger.example, as HORIZON_URL is/,
    ],
    [
      'two second sources',
      { SECOND_HORIZON_URL: 'https://horizon.example', SECOND_RPC_URL: 'https://rpc.example' },
      /keep one/,
    ],
    ['a limit of the second source that is no amount', { SECOND_SOURCE_LIMIT: 'all' }, /SECOND_SOURCE_LIMIT/],
    ['the mock without its permission', { KYC_PROVIDER: 'mock' }, /ALLOW_MOCK_KYC/],
    [
      'anchors as processes on the public network',
      { IS_MAINNET: 'true', SECOND_RPC_URL: 'https://rpc.example' },
      /ANCHOR_RUNTIME=processes must not run/,
    ],
    ['a master key of the wrong size', { MASTER_KEY: 'v1:c2hvcnQ=' }, /MASTER_KEY/],
    ['no master key', { MASTER_KEY: '' }, /MASTER_KEY/],
    [
      'a scanner’s socket for containers',
      { ANCHOR_RUNTIME: 'docker', CLAMD_ADDRESS: '/run/clamd.ctl' },
      /CLAMD_ADDRESS must be host:port/,
    ],
    [
      'a folder of statements for anchors on many nodes',
      { ANCHOR_RUNTIME: 'swarm', STATEMENTS_FOLDER: '/statements' },
      /STATEMENTS_FOLDER must not be set with ANCHOR_RUNTIME=swarm/,
    ],
    [
      'a placement that is no constraint',
      { ANCHOR_RUNTIME: 'swarm', ANCHOR_PLACEMENT: 'node.labels.a==1, $(x)' },
      /ANCHOR_PLACEMENT must be like .*, not \$\(x\)/,
    ],
    [
      'a folder of statements that an engine cannot find',
      { ANCHOR_RUNTIME: 'docker', STATEMENTS_FOLDER: 'statements' },
      /STATEMENTS_FOLDER must be an absolute path/,
    ],
    [
      'a folder of statements that an engine would misread',
      { ANCHOR_RUNTIME: 'docker', STATEMENTS_FOLDER: '/statements:/etc' },
      /STATEMENTS_FOLDER must be an absolute path without a colon/,
    ],
    ['a short service secret', { SERVICE_SECRET: 'short' }, /SERVICE_SECRET/],
    ['an exchange rate that is none', { FX_RATE_EUR_USDC: '0' }, /FX_RATE_EUR_USDC/],
  ])('refuse %s', (_what, change, message) => {
    expect(() => loadConfig({ ...env, ...change })).toThrow(ConfigError)
    expect(() => loadConfig({ ...env, ...change })).toThrow(message)
  })

  it('take anchors in containers on the public network', () => {
    const mainnet = {
      ...{ IS_MAINNET: 'true', ANCHOR_RUNTIME: 'docker' },
      SECOND_RPC_URL: 'https://rpc.example',
    }
    expect(loadConfig({ ...env, ...mainnet }).anchors.runtime.kind).toBe('docker')
    const swarm = {
      ANCHOR_RUNTIME: 'swarm',
      ANCHOR_PLACEMENT: 'node.labels.anchors==true, node.role!=manager',
    }
    expect(loadConfig({ ...env, ...mainnet, ...swarm }).anchors.runtime).toMatchObject({
      kind: 'swarm',
      network: 'platform-net',
      placement: ['node.labels.anchors==true', 'node.role!=manager'],
    })
  })

  it('hand every exchange rate on to anchors', () => {
    const rates = { FX_RATE_INR_USDC: '88.50', FX_RATE_EUR_USDC: '0.92', FX_RATE_BRL_USDC: '' }
    expect(loadConfig({ ...env, ...rates }).anchors.fxRates).toEqual({ EUR: '0.92', INR: '88.50' })
  })

  it('honour a fault point on this machine only', () => {
    const fault = { FAULT_POINT: 'keys:done' }
    expect(loadConfig({ ...env, ...fault }).work.faultPoint).toBe('keys:done')
    expect(loadConfig({ ...env, ...fault, DEPLOYMENT: 'production' }).work.faultPoint).toBeUndefined()
  })
})
