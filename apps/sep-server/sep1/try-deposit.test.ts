import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import fastify from 'fastify'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testAnchor } from '../testing/sep-app.ts'
import { serveTryDeposit } from './try-deposit.ts'
import { PUBLIC_NETWORK } from '@windlass/stellar/network.ts'

const browsers = { horizonUrl: 'https://horizon.example', friendbotUrl: 'https://friendbot.example/' }
let folder: string
beforeAll(() => {
  folder = `${mkdtempSync(join(tmpdir(), 'try-deposit-'))}/`
  writeFileSync(join(folder, 'page.js'), 'page')
  writeFileSync(join(folder, 'chunk-1.js'), 'chunk')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const offered = (network: Partial<AnchorConfig['network']>, changes: Partial<AnchorConfig> = {}) =>
  serveTryDeposit(
    fastify(),
    { ...testAnchor, ...changes, network: { ...testAnchor.network, ...network } },
    folder,
  )

it('names the origins of the test network, and serves its scripts alone', async () => {
  const app = fastify()
  const anchor = { ...testAnchor, network: { ...testAnchor.network, browsers } }
  const trial = serveTryDeposit(app, anchor, folder)
  expect(trial?.origins).toEqual(['https://horizon.example', 'https://friendbot.example'])
  expect(JSON.parse(trial?.anchor ?? '')).toMatchObject({
    asset: { code: 'MUMBAI' },
    address: { homeDomain: 'mumbai.anchors.localhost' },
  })
  const get = async (name: string) => {
    const { statusCode, headers, body } = await app.inject({ url: `/try-deposit/${name}` })
    return [statusCode, headers['cache-control'], statusCode === 200 && body]
  }
  expect(await get('page.js')).toEqual([200, 'no-cache', 'page'])
  expect(await get('chunk-1.js')).toEqual([200, 'public, max-age=31536000, immutable', 'chunk'])
  expect((await get('..%2Ftry-deposit.ts'))[0]).toBe(404)
  await app.close()
})

it.each<[string, Parameters<typeof offered>]>([
  ['the public network', [{ browsers, passphrase: PUBLIC_NETWORK }]],
  ['a network without a faucet', [{}]],
  [
    'a page over https whose test network has http alone',
    [
      { browsers: { ...browsers, horizonUrl: 'http://localhost:8000' } },
      { publicUrl: 'https://mumbai.example' },
    ],
  ],
])('offers nothing on %s', (_what, given) => {
  expect(offered(...given)).toBeNull()
})

it('offers nothing where the scripts were not built', () => {
  const anchor = { ...testAnchor, network: { ...testAnchor.network, browsers } }
  expect(serveTryDeposit(fastify(), anchor, join(folder, 'none/'))).toBeNull()
})
