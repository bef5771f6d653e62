import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import {
  acceptRemoval,
  countOpenTransfers,
  readExport,
  retryControlPlaneJob,
} from '@windlass/contracts/internal/control-plane.ts'
import { listRoutes } from '@windlass/contracts/internal/proxy-routes.ts'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { generateBoxKeys, openBox } from '@windlass/service/seals/sealed-box.ts'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { databasesOf } from '../testing/effects.ts'
import {
  anchorProcesses,
  jobIdOf,
  somePlan,
  startFixture,
  type ControlPlaneProcess,
  type Fixture,
} from '../testing/fixture.ts'
import { verifyExport, type Manifest } from './export.ts'
import { readTar } from './tar.ts'

const points = ['exporting', 'exported', 'withdrawing', 'unrouted', 'withdrawn', 'dropping', 'dropped']
const sample = process.env.MODE === 'faults' ? points : ['exported']
const soon = { timeout: 60_000, interval: 100 }

let fixture: Fixture
let plane: ControlPlaneProcess
beforeAll(async () => {
  fixture = await startFixture()
  plane = await fixture.startControlPlane()
})
afterAll(() => fixture?.stop())

async function standingAnchor(): Promise<AnchorPlan> {
  const plan = somePlan(fixture)
  await plane.provision(plan)
  const database = new pg.Client({ connectionString: databaseOf(plan) })
  await database.connect()
  await database.query(`
    insert into business.transfers (id, sep, direction, state, account, stellar_account, rail, currency, amount)
    values (gen_random_uuid(), '24', 'deposit', 'awaiting_funds', 'GA', 'GA', 'UPI', 'INR', 922337203685.4775807)`)
  await database.query(
    `insert into business.webhook_endpoints (url, secret, events) values ('https://a.example', 'whsec_verysecret', '{x}')`,
  )
  await database.query('set search_path to business')
  // Others have 700.5 of 1,000 units, and money is to be returned.
  await database.query(`
    with entry as (insert into business.journal_entries (cause, kind) values ('test', 'test') returning id)
    insert into business.journal_lines (entry_id, account, unit, amount)
    select id, account, unit, amount from entry, (values ('issued', 'asset', -1000), ('treasury', 'asset', 200),
      ('cold', 'asset', 99.5), ('exchange', 'asset', 700.5), ('unclaimed', 'asset', -0.5), ('kept', 'asset', 0.5),
      ('suspense', 'EUR', -12.5), ('rail:SEPA', 'EUR', 12.5)) as line (account, unit, amount)`)
  await database.end()
  return plan
}

function databaseOf({ anchorId }: AnchorPlan): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/anchor_${anchorId}`
  return url.href
}

const founder = generateBoxKeys()
const remove = (plan: AnchorPlan, forced: boolean, removalId = `removal-of-${plan.anchorId}`) =>
  plane.client.call(acceptRemoval, {
    params: { anchorId: plan.anchorId },
    body: {
      removalId,
      forced,
      records: { exportKey: founder.publicKey, organization: { name: 'Mumbai Exchange' } },
    },
  })
const told = (plan: AnchorPlan) =>
  fixture.platform.removals.filter(each => each.anchorId === plan.anchorId).map(each => each.told)
const untilTold = (plan: AnchorPlan, state: string) =>
  expect.poll(() => told(plan).map(each => each.state), soon).toContain(state)

async function filesOf(path: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const bytes = gunzipSync(await readFile(path))
  await readTar(
    (async function* () {
      yield bytes
    })(),
    name => {
      const chunks: Buffer[] = []
      return {
        chunk: part => void chunks.push(Buffer.from(part)),
        end: () => void files.set(name, Buffer.concat(chunks).toString()),
      }
    },
  )
  return files
}

/** What is left of a removed anchor. */
async function remains(plan: AnchorPlan) {
  const { anchorId } = plan
  const routes = await fixture.proxy.call(listRoutes)
  const keys = await fixture.database.query(
    'select from anchor_secrets where anchor_id = $1 and public_key is not null',
    [anchorId],
  )
  return {
    ...(await databasesOf(plan)),
    servers: (await anchorProcesses(fixture.home)).filter(({ mark }) => mark.includes(anchorId)).length,
    routes: routes.filter(({ host }) => plan.homeDomain.startsWith(host)).length,
    files: existsSync(join(fixture.home, 'anchors', anchorId)),
    keys: keys.rowCount,
    exports: (await readdir(join(fixture.home, 'exports'))).filter(name => name.includes(anchorId)).length,
  }
}

const nothingButKeys = { databases: 0, roles: 0, servers: 0, routes: 0, files: false, keys: 3, exports: 1 }

/** The last one that was removed. */
let removed: AnchorPlan

describe('the removal of an anchor', () => {
  it.each(sample)(
    'waits for open transfers, is resumed where a control plane was killed at %s, and loses nothing but what is exported',
    async point => {
      await plane.kill()
      plane = await fixture.startControlPlane({ FAULT_POINT: `removal:${point}` })
      const plan = await standingAnchor()
      const params = { anchorId: plan.anchorId }
      expect(await plane.client.call(countOpenTransfers, { params })).toEqual({
        ...{ open: 1, units: [] },
        owed: [
          { unit: 'EUR', amount: '12.5' },
          { unit: 'asset', amount: '700.5' },
        ],
      })
      if (point === 'exported') {
        await remove(plan, false, 'refused-first')
        await untilTold(plan, 'refused')
        expect(await databasesOf(plan)).toEqual({ databases: 1, roles: 3 })
      }
      // As on a node whose control plane never wrote them.
      await rm(join(fixture.home, 'anchors', plan.anchorId), { recursive: true })
      // It may die before it has answered.
      await Promise.allSettled([remove(plan, true), remove(plan, true)])
      expect(await plane.ended).toBe('SIGKILL')
      plane = await fixture.startControlPlane()
      await untilTold(plan, 'done')
      expect(await remains(plan)).toEqual(nothingButKeys)
      const states = told(plan).map(({ state }) => state)
      expect(states.indexOf('withdrawing')).toBeLessThan(states.indexOf('done'))

      const made = told(plan).findLast(({ state }) => state === 'done')?.export
      const path = join(fixture.home, 'exports', made?.file ?? '')
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      const answer = await plane.client.open(readExport, { params })
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
        made?.bytes,
        made?.sha256,
      ])
      const refused = plane.client.call(retryControlPlaneJob, { params: { jobId: jobIdOf(plan) } })
      await expect(refused).rejects.toMatchObject({ problem: { code: 'job-not-retryable' } })
      removed = plan
    },
  )

  it('leaves an archive of everything but secrets, exact to the last digit, that is refused when it is spoilt', async () => {
    const plan = removed
    const { file = '' } = told(plan).findLast(({ state }) => state === 'done')?.export ?? {}
    const path = join(fixture.home, 'exports', file)
    const files = await filesOf(path)
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'manifest.json',
        'plan.json',
        'accounts.json',
        'platform.json',
        'provisioning-log.json',
        'config/anchor.json',
        'config/stellar.toml',
        'data/business/transfers.ndjson',
        'data/sep/transactions.ndjson',
      ]),
    )
    const manifest = JSON.parse(files.get('manifest.json') ?? '') as Manifest
    expect(manifest).toMatchObject({ format: 'windlass-anchor-export/1', anchorId: plan.anchorId })
    const transfer = JSON.parse(files.get('data/business/transfers.ndjson') ?? '') as Record<string, string>
    expect(transfer).toMatchObject({ state: 'awaiting_funds', amount: '922337203685.4775807', memo: null })
    expect(JSON.parse(files.get('accounts.json') ?? '')).toMatchObject({
      issuer: expect.stringMatching(/^G/),
    })
    expect(files.get('platform.json')).toContain('Mumbai Exchange')
    const keys = JSON.parse(openBox(founder.privateKey, files.get('keys.sealed') ?? '')) as Record<
      string,
      string
    >
    for (const server of ['business', 'sep']) expect(keys[server]).toMatch(/^v\d+:/)
    const everything = [...files.values()].join('\n')
    expect(everything).not.toMatch(/whsec_|\bS[A-Z2-7]{55}\b|postgres:/)
    expect(manifest.tables.find(({ name }) => name === 'webhook_endpoints')?.omitted).toEqual([
      'secret',
      'sealed_secret',
    ])

    await verifyExport(path, manifest)
    const [first, ...rest] = manifest.tables
    const other = { ...first, rows: (first?.rows ?? 0) + 1 } as Manifest['tables'][number]
    await expect(verifyExport(path, { tables: [other, ...rest] })).rejects.toThrow('as it was')
    await truncate(path, (await stat(path)).size - 20)
    await expect(verifyExport(path, manifest)).rejects.toThrow()
  })

  it('takes its files from every other node too, once the control plane there starts', async () => {
    const folder = join(fixture.home, 'anchors', removed.anchorId)
    await mkdir(join(folder, 'secrets'), { recursive: true })
    await plane.stop()
    plane = await fixture.startControlPlane()
    await expect.poll(() => existsSync(folder), soon).toBe(false)
  })
})
