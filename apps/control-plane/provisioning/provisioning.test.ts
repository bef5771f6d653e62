import { createClient } from '@windlass/client/client.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { requestWalletChecks } from '@windlass/contracts/platform/wallet-checks.ts'
import { getJobLog, retryControlPlaneJob } from '@windlass/contracts/internal/control-plane.ts'
import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { createSealer, parseKeyring } from '@windlass/service/seals/seal.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { metricIn } from '@windlass/testing/metrics.ts'
import { insertAnchor, openAnchor } from '../anchors/records.ts'
import { listPublicKeys } from '../anchors/vault.ts'
import type { Tables } from '../tables.ts'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import { stages } from './stages.ts'
import {
  anchorProcesses,
  jobIdOf,
  somePlan,
  startFixture,
  type ControlPlaneProcess,
  type Fixture,
} from '../testing/fixture.ts'

let fixture: Fixture
let plane: ControlPlaneProcess
/** The anchor of the first test, of which the others ask. */
let first: AnchorPlan
beforeAll(async () => {
  fixture = await startFixture()
  plane = await fixture.startControlPlane()
  first = somePlan(fixture)
})
afterAll(() => fixture?.stop())

const retry = (jobId: string) => plane.client.call(retryControlPlaneJob, { params: { jobId } })

describe('provisioning', () => {
  it('raises one anchor however often and at once its job is handed over, and tells each stage', async () => {
    const jobId = jobIdOf(first)
    const accepted = await Promise.all(Array.from({ length: 5 }, () => plane.accept(first)))
    for (const job of accepted) expect(job).toMatchObject({ jobId, result: { homeDomain: first.homeDomain } })

    const job = await plane.untilCompleted(first)
    expect(job.stages.map(stage => [stage.name, stage.status, stage.attempts])).toEqual(
      stageNames.map(name => [name, 'completed', 1]),
    )
    expect(job.result).toMatchObject({
      stage: 'completed',
      assetCode: 'MUMBAI',
      issuer: expect.stringMatching(/^G/),
      urls: {
        discovery: `http://${first.homeDomain}/.well-known/stellar.toml`,
        issuer: `${fixture.network.url}/#/account/${job.result.issuer}`,
      },
    })
    await expect.poll(() => fixture.platform.reports.at(-1)?.job.status).toBe('completed')
    expect(await countEffects(fixture, first)).toEqual(oneAnchor)
    // The log tells the stages, each with the request that began the job.
    const told = plane.logged().filter(line => line.jobId === jobId && line.msg === 'a stage is completed')
    expect(told.map(({ stage }) => stage)).toEqual(stages.map(({ key }) => key))
    expect(new Set(told.map(({ requestId }) => requestId)).size).toBe(1)
    expect(told[0]?.requestId).toEqual(expect.any(String))
    expect(fixture.platform.registry.get(jobId)).toMatchObject({
      issuer: job.result.issuer,
      apiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
      serviceSecretHash: fixture.platform.secrets.get(jobId),
      treasuryCapacity: '1000000',
    })
  })

  it('keeps the log without any secret, and tells the lines after a known one', async () => {
    const params = { jobId: jobIdOf(first) }
    const lines = await plane.client.call(getJobLog, { params })
    expect(new Set(lines.map(line => line.stage))).toEqual(new Set(stageNames))
    const after = lines[2]?.id ?? 0
    expect(await plane.client.call(getJobLog, { params, query: { after } })).toEqual(lines.slice(3))
    expect(JSON.stringify(lines)).not.toMatch(/\bS[A-Z2-7]{55}\b/)
  })

  it('writes the configuration its servers read, with every secret for its owner alone', async () => {
    const folder = join(fixture.home, 'anchors', first.anchorId)
    const config: unknown = JSON.parse(await readFile(join(folder, 'config/anchor.json'), 'utf8'))
    expect(config).toMatchObject({ plan: first, publicUrl: `http://${first.homeDomain}` })
    const secrets = await readdir(join(folder, 'secrets'))
    expect(secrets).toEqual(expect.arrayContaining(['sep_signer_credential', 'service_secret']))
    for (const name of secrets) {
      expect((await stat(join(folder, 'secrets', name))).mode & 0o007).toBe(0)
      // The signer has the keys of its accounts.
      expect(await readFile(join(folder, 'secrets', name), 'utf8')).not.toMatch(/\bS[A-Z2-7]{55}\b/)
    }
    expect((await stat(join(folder, 'secrets'))).mode & 0o007).toBe(0)
  })

  it('hands the keys that an earlier version kept over to the signer, and forgets them', async () => {
    const plan = somePlan(fixture)
    const { anchorId } = plan
    const master = createSealer(parseKeyring(fixture.env.MASTER_KEY ?? ''))
    const database = openDatabase<Tables>(fixture.env.CONTROL_PLANE_DATABASE_URL ?? '', { name: 'earlier' })
    await insertAnchor(database.db, master, plan)
    const { vault } = await openAnchor({ database, master }, anchorId)
    for (const role of ['issuer', 'distribution', 'signing'] as const) {
      await vault.ensure(database.db, role, generateKey)
    }
    const before = await listPublicKeys(database.db, anchorId)
    const { result } = await plane.provision(plan)
    expect(result).toMatchObject({ issuer: before.issuer, signingKey: before.signing })
    expect(await vault.find(database.db, 'distribution')).toBeNull()
    expect(await listPublicKeys(database.db, anchorId)).toEqual(before)
    await database.close()
  })

  it('runs the wallet compatibility check on a new anchor, reports it to the platform, and repeats it on request', async () => {
    const { anchorId } = first
    const reports = () => fixture.platform.walletChecks.filter(each => each.anchorId === anchorId)
    await expect.poll(() => reports().length).toBe(1)
    const unmet = () =>
      reports()
        .at(-1)
        ?.report.results.filter(({ passed }) => !passed)
    expect(unmet()).toEqual([])
    expect(reports()[0]?.report.results.length).toBeGreaterThan(20)

    const file = join(fixture.home, 'anchors', anchorId, 'config/stellar.toml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('is_asset_anchored = true', ''))
    await plane.client.call(requestWalletChecks, { params: { anchorId } })
    await expect.poll(() => reports().length).toBe(2)
    expect(unmet()).toMatchObject([
      { name: 'sep1-currency', detail: expect.stringContaining('is_asset_anchored') },
    ])
    await writeFile(file, text)

    // Servers that are just being started again are no finding.
    const servers = (await anchorProcesses(fixture.home)).filter(({ mark }) => mark.includes(anchorId))
    expect(servers).toHaveLength(2)
    for (const { pid } of servers) process.kill(pid, 'SIGKILL')
    await plane.client.call(requestWalletChecks, { params: { anchorId } })
    await expect.poll(() => reports().length).toBe(3)
    expect(unmet()).toEqual([])
    const nobody = plane.client.call(requestWalletChecks, { params: { anchorId: 'nobody' } })
    await expect(nobody).rejects.toMatchObject({ problem: { code: 'anchor-not-found' } })
  })

  it('tells its health on its own port', async () => {
    const answer = await fetch(`${plane.url}/health`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      status: 'ok',
      service: 'control-plane',
      checks: { database: 'ok' },
    })
  })

  it('shows Prometheus its jobs by stage, and where to scrape the servers of anchors', async () => {
    const text = await (await fetch(`${plane.url}/metrics`)).text()
    const jobs = metricIn(text, 'windlass_jobs')
    expect(jobs['stage="activation",state="completed"']).toBeGreaterThanOrEqual(1)
    expect(metricIn(text, 'windlass_job_oldest_seconds')).toEqual({ '': 0 })
    const groups = (await (await fetch(`${plane.url}/metrics/targets`)).json()) as {
      targets: string[]
      labels: Record<string, string>
    }[]
    const own = groups.filter(({ labels }) => labels.anchor_id === first.anchorId)
    expect(own.map(({ labels }) => labels.part)).toEqual(['sep-server', 'business-server'])
    for (const { targets, labels } of own) {
      const answer = await fetch(`http://${targets[0]}/metrics`)
      expect(metricIn(await answer.text(), 'process_resident_memory_bytes')).toEqual({
        '': expect.any(Number),
      })
      expect(labels.anchor).toBe(first.homeDomain.replace(/:.*/, ''))
    }
    const passedOn = { headers: { 'x-windlass-proxy': 'anything' } }
    expect((await fetch(`${plane.url}/metrics/targets`, passedOn)).status).toBe(404)
  })

  it('refuses to retry what is completed or unknown', async () => {
    await expect(retry(jobIdOf(first))).rejects.toMatchObject({ problem: { code: 'job-not-retryable' } })
    await expect(retry('nothing')).rejects.toMatchObject({ problem: { code: 'job-not-found' } })
  })

  it('refuses a second job for an anchor, and callers without the service secret', async () => {
    await expect(plane.accept(first, 'another-job-for-the-same-anchor')).rejects.toMatchObject({
      status: 409,
    })
    const stranger = createClient({ baseUrl: plane.url, headers: { 'x-service-secret': 'x'.repeat(40) } })
    const asked = stranger.call(getJobLog, { params: { jobId: jobIdOf(first) } })
    await expect(asked).rejects.toMatchObject({ status: 401 })
  })

  it('fails stage 2 while the faucet is shut; a retry continues there with the same keys, and the last stage waits for the platform', async () => {
    fixture.faucet.mood = 'limits rates'
    const plan = somePlan(fixture)
    const jobId = jobIdOf(plan)
    await plane.accept(plan)
    await plane.until(jobId, job => job.stages[1]?.status === 'failed')
    // All but the last of the time that the stage may take.
    await fixture.database.query(`update job_stages set spent = 49 where job_id = $1 and position = 1`, [
      jobId,
    ])
    const failed = await plane.until(jobId, job => job.status === 'failed')
    expect(failed).toMatchObject({
      stage: stageNames[1],
      error: { stage: stageNames[1], code: 'faucet-unavailable', retryable: true },
    })

    fixture.faucet.mood = 'open'
    const retries = await Promise.allSettled(Array.from({ length: 10 }, () => retry(jobId)))
    expect(retries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await plane.until(jobId, job => job.stages[4]?.status === 'completed')
    fixture.platform.down = true
    const waiting = await plane.until(jobId, job => job.stages[6]?.status === 'failed')
    expect(waiting).toMatchObject({ status: 'running', stage: stageNames[5] })
    expect(waiting.stages[6]?.error?.detail).toContain('The aggregator')

    fixture.platform.down = false
    const job = await plane.until(jobId, job => job.status === 'completed')
    expect(job.result.issuer).toBe(failed.result.issuer)
    expect(job.attempts).toBe(2)
    expect(await countEffects(fixture, plan)).toEqual(oneAnchor)
  })
})
