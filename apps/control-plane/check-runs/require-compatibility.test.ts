import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { loadConfig } from '../config.ts'
import { insertAnchor } from '../anchors/records.ts'
import { forgetKeys } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { migrations, type Tables } from '../tables.ts'
import { requireCompatibility } from './require-compatibility.ts'

const plan: AnchorPlan = {
  anchorId: 'a'.repeat(20),
  organizationName: 'A',
  businessEmail: 'a@example.com',
  subdomain: 'a',
  homeDomain: 'a.anchors.localhost',
  asset: { code: 'A', name: 'A', anchoredTo: 'USD', issued: '1' },
  rails: ['UPI'],
  regions: ['IN'],
  settlement: 'instant',
  fees: { fixed: '0', percentage: '0' },
  limits: { min: '1', max: '2' },
}

it('checks a new anchor again for a while, then logs each failed check in its job, which can be retried', async () => {
  const lines: string[] = []
  let kept = 0
  let rounds = 0
  const made = await testDatabase(sharedMigrations, migrations)
  const config = loadConfig({
    DEPLOYMENT: 'local',
    CONTROL_PLANE_DATABASE_URL: made.url,
    ANCHORS_DATABASE_URL: 'postgres://localhost:1/none',
    MASTER_KEY: `v1:${randomBytes(32).toString('base64')}`,
    SERVICE_SECRET: 's'.repeat(40),
    SIGNER_SECRET: 'g'.repeat(40),
  })
  const database = openDatabase<Tables>(config.databaseUrl, { name: 'wallet-checks' })
  const address = () => generateKey().publicKey
  const accounts = { issuer: address(), distribution: address(), signing: address() }
  await insertAnchor(database.db, createSealer(config.masterKey), plan)
  await forgetKeys(database.db, plan.anchorId, accounts)
  const deps: Partial<Deps> = {
    config,
    clock: { ...fakeClock(), compare: async () => undefined, follow: async () => undefined },
    logger: createLogger('test', 'silent'),
    database,
    outbound: {
      request: async url => {
        if (url.endsWith('/stellar.toml')) rounds++
        return { status: 503, headers: {}, text: '' }
      },
      close: async () => undefined,
    },
  }
  const log = async (level: string, text: string) => void lines.push(`${level} ${text}`)
  const fenced = async () => void kept++
  const { signal } = new AbortController()
  const context = { deps: deps as Deps, plan, signal, log, fenced }
  await expect(requireCompatibility(context, [0, 0])).rejects.toMatchObject({
    code: 'public-domain-not-right',
    retryable: true,
    message: expect.stringContaining('answered with 503'),
  })
  expect(kept).toBe(1)
  expect(rounds).toBe(3)
  const again = lines.filter(line => /Checking again/.test(line))
  expect(again).toHaveLength(2)
  expect(lines.length).toBeGreaterThan(20)
  expect(lines).toContainEqual(expect.stringMatching(/^warn SEP-24: \/info says/))
  await database.close()
  await made.drop()
})
