import { Asset, AuthRequiredFlag, AuthRevocableFlag } from '@stellar/stellar-sdk/base'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { countOpenTransfers, getJobLog } from '@windlass/contracts/internal/control-plane.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { openIssuer, payFrom } from '@windlass/stellar/testing/issuer.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import {
  jobIdOf,
  somePlan,
  startFixture,
  type ControlPlaneProcess,
  type Fixture,
} from '../testing/fixture.ts'

let fixture: Fixture
let plane: ControlPlaneProcess
beforeAll(async () => {
  fixture = await startFixture()
})
afterEach(async () => {
  await plane?.stop()
  await fixture.endAnchors()
})
afterAll(() => fixture?.stop())

const issuer = generateKey()
const existing = (): AnchorPlan => {
  const plan = somePlan(fixture)
  return { ...plan, asset: { ...plan.asset, code: 'USDC', issuer: issuer.publicKey, issued: '0' } }
}
const eurc = (of = issuer) => [{ code: 'EURC', issuer: of.publicKey, name: 'Euro', anchoredTo: 'EUR' }]

const logOf = async (plan: AnchorPlan) => {
  const lines = await plane.client.call(getJobLog, { params: { jobId: jobIdOf(plan) } })
  return lines.map(({ text }) => text).join('\n')
}

const points =
  process.env.MODE === 'faults'
    ? ['funding:trust-stored', 'funding:trust-applied', 'funding:funded']
    : ['funding:trust-stored']

describe('an anchor of an existing asset', () => {
  it('is not provisioned without its issuer on the network, which the founder reads', async () => {
    plane = await fixture.startControlPlane()
    const plan = existing()
    await plane.accept(plan)
    const job = await plane.until(jobIdOf(plan), each => each.status === 'failed', 90)
    expect(job.error).toMatchObject({
      code: 'asset-not-found',
      detail: expect.stringContaining(`The account ${issuer.publicKey}`),
    })
  })

  it.each(points)('is provisioned once though the control plane dies at %s', async point => {
    await openIssuer(fixture.network, AuthRequiredFlag | AuthRevocableFlag, issuer)
    const doomed = await fixture.startControlPlane({ FAULT_POINT: point })
    const plan = { ...existing(), furtherAssets: eurc() }
    await doomed.accept(plan)
    expect(await doomed.ended).toBe('SIGKILL')
    plane = await fixture.startControlPlane()
    const job = await plane.untilCompleted(plan, 90)
    expect(job.result).toMatchObject({ assetCode: 'USDC', issuer: issuer.publicKey })
    await expect.poll(() => countEffects(fixture, plan)).toEqual({ ...oneAnchor, trustlines: 2, issues: [] })
    expect(fixture.platform.registry.get(jobIdOf(plan))).toMatchObject({
      issuer: issuer.publicKey,
      treasuryCapacity: '0',
    })
    const log = await logOf(plan)
    expect(log).toContain('The issuer of USDC authorizes each account that holds it.')
    expect(log).toContain('The issuer of USDC can freeze what the distribution account holds.')
    expect(log).not.toContain('can take back')
    expect(log).toContain('The distribution account can hold EURC.')
    const reports = fixture.platform.walletChecks.filter(each => each.anchorId === plan.anchorId)
    expect(reports[0]?.report.results.filter(({ passed }) => !passed)).toEqual([])
    const file = join(fixture.home, 'anchors', plan.anchorId, 'config/stellar.toml')
    const { ACCOUNTS, CURRENCIES } = parse(await readFile(file, 'utf8'))
    expect(ACCOUNTS).toEqual([job.result.distribution, job.result.signingKey])
    expect(CURRENCIES).toMatchObject([
      { code: 'USDC', issuer: issuer.publicKey },
      { code: 'EURC', issuer: issuer.publicKey, anchor_asset: 'EUR' },
    ])
  })
  it('that is XLM needs no trustline and no issuer', async () => {
    plane = await fixture.startControlPlane({ FX_RATE_XLM_USDC: '8' })
    const asset = { code: 'XLM', issuer: 'native', name: 'Lumen', anchoredTo: 'XLM', issued: '0' }
    const plan: AnchorPlan = { ...somePlan(fixture), asset }
    await plane.accept(plan)
    const job = await plane.untilCompleted(plan, 90)
    expect(job.result).toMatchObject({ assetCode: 'XLM', issuer: 'native' })
    expect(job.result.urls).not.toHaveProperty('issuer')
    // Nobody issues it.
    const none = { accounts: 2, trustlines: 0, issues: [] }
    await expect.poll(() => countEffects(fixture, plan)).toEqual({ ...oneAnchor, ...none })
    expect(await logOf(plan)).toContain('The distribution account requires memos.')
    const { units } = await plane.client.call(countOpenTransfers, { params: { anchorId: plan.anchorId } })
    expect(units).toEqual([{ code: 'XLM', amount: expect.stringMatching(/^9999\./) }])
    const reports = fixture.platform.walletChecks.filter(each => each.anchorId === plan.anchorId)
    expect(reports[0]?.report.results.filter(({ passed }) => !passed)).toEqual([])
  })

  it('beside an asset of its own is trusted in the transaction that issues', async () => {
    const open = await openIssuer(fixture.network, 0)
    plane = await fixture.startControlPlane()
    const plan = { ...somePlan(fixture), furtherAssets: eurc(open) }
    const job = await plane.provision(plan, 90)
    expect(job.result).toMatchObject({ assetCode: 'MUMBAI' })
    await expect.poll(() => countEffects(fixture, plan)).toEqual({ ...oneAnchor, trustlines: 2 })
    const left = () => {
      const params = { anchorId: plan.anchorId }
      return plane.client.call(countOpenTransfers, { params })
    }
    expect(await left()).toEqual({ open: 0, owed: [], units: [] })
    await payFrom(fixture.network, open, new Asset('EURC', open.publicKey), '12.5', {
      destination: job.result.distribution ?? '',
      memo: 'top-up',
    })
    expect(await left()).toEqual({ open: 0, owed: [], units: [{ code: 'EURC', amount: '12.5' }] })
    const { rows } = await fixture.database.query<{ count: string }>(
      "select count(*) from envelopes where anchor_id = $1 and purpose in ('issue', 'trust')",
      [plan.anchorId],
    )
    expect(rows).toEqual([{ count: '1' }])
  })
})
