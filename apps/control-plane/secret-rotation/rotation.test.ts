import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { setAnchorRunning } from '@windlass/contracts/internal/control-plane.ts'
import { createServerSigner } from '@windlass/client/signer.ts'
import { Keypair } from '@stellar/stellar-sdk'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anchorProcesses,
  jobIdOf,
  somePlan,
  startFixture,
  type ControlPlaneProcess,
  type Fixture,
} from '../testing/fixture.ts'

const points = ['held', 'replaced', 'prepared', 'started']
const everything = process.env.MODE === 'faults'
const soon = { timeout: 60_000, interval: 100 }
const script = fileURLToPath(new URL('main.ts', import.meta.url))

let fixture: Fixture
let plane: ControlPlaneProcess
let plan: AnchorPlan
beforeAll(async () => {
  fixture = await startFixture()
  plane = await fixture.startControlPlane()
  plan = somePlan(fixture)
  await plane.provision(plan)
})
afterAll(() => fixture?.stop())

/** The command as an operator runs it. */
function rotate(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  return new Promise(resolve => {
    execFile(process.execPath, [script, ...args], { env: fixture.env }, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    )
  })
}

/** What the servers read, by file. */
async function secrets(): Promise<Record<string, string>> {
  const folder = join(fixture.home, 'anchors', plan.anchorId, 'secrets')
  const names = await readdir(folder)
  return Object.fromEntries(
    await Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'utf8')])),
  )
}

/** SEP-10: the challenge is signed by the signer for the SEP server. */
function challenge(): Promise<number> {
  return new Promise(resolve => {
    const { hostname, port } = new URL(fixture.env.ANCHOR_INGRESS ?? '')
    const path = `/auth?account=${Keypair.random().publicKey()}`
    const asked = request({ hostname, port, path, headers: { host: plan.homeDomain } }, response =>
      resolve(response.resume().statusCode ?? 0),
    )
    asked.on('error', () => resolve(0)).end()
  })
}

/** Asks one after the other; resolves to what was answered but 200. */
function watchChallenges() {
  const others: number[] = []
  let watching = true
  const watched = (async () => {
    while (watching) {
      const status = await challenge()
      if (status !== 200) others.push(status)
    }
  })()
  return async () => {
    watching = false
    await watched
    return others
  }
}

async function isAccepted(url: string | undefined): Promise<boolean> {
  const client = new pg.Client({ connectionString: url ?? '' })
  client.on('error', () => undefined)
  return client
    .connect()
    .then(() => true)
    .catch(() => false)
    .finally(() => client.end().catch(() => undefined))
}

const hashOf = (secret = '') => createHash('sha256').update(secret).digest('hex')
const registered = () => fixture.platform.registry.get(jobIdOf(plan))
const changed = (before: Record<string, string>, after: Record<string, string>) =>
  Object.keys(after).filter(name => after[name] !== before[name])

describe('the rotation of an anchor’s own secrets', () => {
  it('replaces all of them while requests wait, and the old ones open nothing', async () => {
    const before = await secrets()
    const stopWatching = watchChallenges()
    const { code, output } = await rotate(plan.subdomain, '--json')
    expect(await stopWatching()).toEqual([])
    expect({ code, ...JSON.parse(output) }).toMatchObject({
      code: 0,
      anchorId: plan.anchorId,
      secrets: ['database', 'tokens', 'platform', 'link', 'signer', 'details'],
    })
    const after = await secrets()
    expect(changed(before, after).toSorted()).toEqual(
      Object.keys(before)
        .filter(name => name !== 'proxy_secret')
        .toSorted(),
    )
    for (const name of ['sep_database_url', 'business_database_url']) {
      expect(await isAccepted(before[name])).toBe(false)
      expect(await isAccepted(after[name])).toBe(true)
    }
    // Older keys still decrypt, also those that an earlier release derived from secrets that are replaced.
    expect(after.details_key).toMatch(/^v2:/)
    expect(after.details_key).toContain(`,${before.details_key},v0:`)
    expect(after.sep_details_key).toMatch(/^v3:/)
    expect(after.sep_details_key).toContain(`,${before.sep_details_key},v1:`)
    const old = createServerSigner(fixture.env.SIGNER_URL ?? '', before.sep_signer_credential ?? '')
    await expect(old.challenge('AAAA')).rejects.toMatchObject({ status: 401 })
    expect(registered()).toMatchObject({
      serviceSecretHash: hashOf(after.service_secret),
      summarySecret: after.summary_secret,
    })
    await expect.poll(() => registered()?.apiUrl, soon).not.toContain('/asleep/')
    const kinds = () => [...fixture.platform.events.values()].map(({ kind }) => kind)
    await expect.poll(kinds, soon).toContain('secrets-rotated')
  })

  it.runIf(everything)('of the details’ keys alone leaves the other secrets', async () => {
    const before = await secrets()
    expect((await rotate(plan.anchorId, 'details')).code).toBe(0)
    const after = await secrets()
    expect(changed(before, after).toSorted()).toEqual(['details_key', 'sep_details_key'])
  })

  it.each(everything ? points : ['replaced'])(
    'continues where a control plane was killed at %s',
    async point => {
      const before = await secrets()
      await plane.kill()
      const at = { CONTROL_PLANE_PORT: new URL(plane.url).port }
      plane = await fixture.startControlPlane({ ...at, FAULT_POINT: `rotation:${point}` })
      const rotated = rotate(new URL(`http://${plan.homeDomain}`).hostname)
      expect(await plane.ended).toBe('SIGKILL')
      plane = await fixture.startControlPlane(at)
      expect((await rotated).code).toBe(0)
      const after = await secrets()
      expect(changed(before, after)).toContain('service_secret')
      expect(await isAccepted(before.sep_database_url)).toBe(false)
      expect(await isAccepted(after.sep_database_url)).toBe(true)
      expect(registered()?.serviceSecretHash).toBe(hashOf(after.service_secret))
      await expect.poll(challenge, soon).toBe(200)
      expect(await anchorProcesses(fixture.home)).toHaveLength(2)
    },
  )

  it.runIf(everything)('of a suspended anchor leaves it down; it resumes with the new secrets', async () => {
    const run = (running: boolean) =>
      plane.client.call(setAnchorRunning, { params: { anchorId: plan.anchorId }, body: { running } })
    await run(false)
    await expect.poll(() => anchorProcesses(fixture.home), soon).toEqual([])
    const before = await secrets()
    expect((await rotate(plan.anchorId)).code).toBe(0)
    expect(await anchorProcesses(fixture.home)).toEqual([])
    const after = await secrets()
    expect(await isAccepted(before.sep_database_url)).toBe(false)
    const server = createServerSigner(fixture.env.SIGNER_URL ?? '', after.sep_signer_credential ?? '')
    await expect(server.challenge('AAAA')).rejects.toMatchObject({ status: 401 })
    await run(true)
    await expect.poll(challenge, soon).toBe(200)
  })

  it('names what it cannot do', async () => {
    expect(await rotate(plan.anchorId, 'passwords')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('Secrets: database, tokens'),
    })
    expect(await rotate('nobody')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('There is no anchor "nobody"'),
    })
    await fixture.database.query(
      `insert into anchors (id, plan, data_key, running, provisioned_at)
         select 'leaving', plan, data_key, false, provisioned_at from anchors;
       insert into removals (id, anchor_id, forced, records, state, finished_at)
         values ('r', 'leaving', false, '{}', 'done', now())`,
    )
    expect(await rotate('leaving')).toMatchObject({ code: 1, errors: 'The anchor is being removed.\n' })
  })
})
