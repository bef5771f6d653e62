import { listAudit, listFleet, resumeAnchor } from '@windlass/contracts/platform/administrators.ts'
import * as life from '@windlass/contracts/platform/anchor-life.ts'
import {
  activateAnchor,
  reportAnchorEvent,
  reportRemoval,
} from '@windlass/contracts/internal/control-plane.ts'
import type { LogLine } from '@windlass/contracts/platform/provisioning.ts'
import { getWorkspace } from '@windlass/contracts/platform/workspaces.ts'
import { generateBoxKeys } from '@windlass/service/seals/sealed-box.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal } from '../testing/story.ts'

let app: TestApp
let services: TestServices
let admin: Awaited<ReturnType<typeof signInAdmin>>
let address: string
let anchors = 0

beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
  admin = await signInAdmin(app)
  address = `http://127.0.0.1:${await app.server.listen(0, '127.0.0.1')}`
})
afterAll(async () => {
  await app.close()
  await services.close()
})
beforeEach(() => {
  Object.assign(services, {
    down: false,
    refusal: null,
    openTransfers: 0,
    unitsHeld: [],
    removals: [],
    upgrades: [],
  })
})

async function activeAnchor() {
  const subdomain = `life-${++anchors}`
  const email = `owner@${subdomain}.example`
  const { jobId, anchorId } = await redeemed(app, subdomain, { businessEmail: email })
  const body = { ...stood, serviceSecretHash: String(anchors).padStart(64, 'e') }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  return { anchorId, jobId, email, params: { id: anchorId } }
}
const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
const file = { file: 'an-anchor.tar.gz', bytes: 11, sha256: 'ab'.repeat(32), rows: 7 }
const reset = (id: string): life.AnchorEvent => ({
  id,
  at: '2026-11-20T12:00:00.000Z',
  kind: 'ledger-reset',
  detail: 'Funded and issued again with the same keys.',
})

describe('a reset of the ledger', () => {
  it('is shown to the operators and to administrators, and mailed to the owner once', async () => {
    const { anchorId, email, params } = await activeAnchor()
    const event = reset('reset-1')
    const tell = () => app.service.call(reportAnchorEvent, { params: { anchorId }, body: event })
    await Promise.all([tell(), tell(), tell()])
    await app.drain()
    const mails = app.mails.filter(({ to, subject }) => to === email && subject.includes('was reset'))
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain('same keys')

    const operator = await signInOperator(app, email)
    expect(await operator.call(life.listAnchorEvents, { params: { anchorId } })).toEqual([event])
    expect(await operator.call(getWorkspace, { params: { anchorId } })).toMatchObject({
      ledgerResetAt: event.at,
    })
    expect(await admin.call(life.listFleetEvents, { params })).toEqual([event])
    const fleet = await admin.call(listFleet)
    expect(fleet.find(({ id }) => id === anchorId)).toMatchObject({ ledgerResetAt: event.at })
  })

  it('is nobody else’s to see, and of anchors that exist', async () => {
    const [one, other] = [await activeAnchor(), await activeAnchor()]
    const operator = await signInOperator(app, one.email)
    const params = { anchorId: other.anchorId }
    expect(await codeOf(operator.call(life.listAnchorEvents, { params }))).toBe('anchor-not-found')
    expect(await codeOf(app.client().call(life.listFleetEvents, { params: other.params }))).toBe(
      'unauthenticated',
    )
    expect(
      await codeOf(app.service.call(reportAnchorEvent, { params: { anchorId: 'no' }, body: reset('x') })),
    ).toBe('anchor-not-found')
  })
})

describe('an upgrade', () => {
  it('is passed on with who asked for it, and listed', async () => {
    const { params } = await activeAnchor()
    const upgrade = await admin.call(life.upgradeAnchor, { params, body: { version: '0.2.0' } })
    expect(upgrade).toMatchObject({ state: 'waiting', to: { version: '0.2.0' } })
    expect(upgrade.requestedBy).toMatch(/^admin:/)
    expect(await admin.call(life.listUpgrades, { params })).toMatchObject({
      release: { version: '0.1.0' },
      upgrades: [{ id: upgrade.id }],
    })
  })

  it('is of active anchors, by administrators, and needs the control plane', async () => {
    const { params } = await activeAnchor()
    expect(await codeOf(app.client().call(life.upgradeAnchor, { params, body: {} }))).toBe('unauthenticated')
    services.down = true
    expect(await codeOf(admin.call(life.upgradeAnchor, { params, body: {} }))).toBe('dependency-unavailable')
    const draft = await redeemed(app, 'life-draft')
    expect(await codeOf(admin.call(life.upgradeAnchor, { params: { id: draft.anchorId }, body: {} }))).toBe(
      'anchor-wrong-state',
    )
  })
})

describe('the removal of an anchor', () => {
  it('hands the key over that its owner set, so that the export is sealed for them', async () => {
    const { anchorId, email, params } = await activeAnchor()
    const owner = await signInOperator(app, email)
    const set = (publicKey: string | null) =>
      owner.call(life.setExportKey, { params: { anchorId }, body: { publicKey } })
    const { publicKey } = generateBoxKeys()
    expect(await owner.call(life.getExportKey, { params: { anchorId } })).toEqual({ publicKey: null })
    expect(await codeOf(set('A'.repeat(43)))).toBe('validation-failed')
    expect(await set(publicKey)).toEqual({ publicKey })
    const [entry] = await admin.call(listAudit, { query: { subject: `anchor:${anchorId}` } })
    expect(entry).toMatchObject({
      action: 'anchor.export-key-set',
      details: { before: null, after: publicKey },
    })
    await admin.call(life.removeAnchor, { params, body: { reason: 'closed' } })
    await app.drain()
    expect(services.removals[0]?.records).toMatchObject({ exportKey: publicKey })
  })

  it('suspends it at once, hands it over, and ends when the control plane is done', async () => {
    const { anchorId, email, params } = await activeAnchor()
    const body = { reason: 'The licence was returned.' }
    const asked = await admin.call(life.removeAnchor, { params, body })
    expect(asked).toMatchObject({ status: 'suspended', removal: { state: 'requested', forced: false } })
    expect(await codeOf(admin.call(life.removeAnchor, { params, body }))).toBe('anchor-wrong-state')
    expect(await codeOf(admin.call(resumeAnchor, { params }))).toBe('anchor-wrong-state')
    await app.drain()
    expect(services.running.findLast(call => call.anchorId === anchorId)?.running).toBe(false)
    const [taken] = services.removals
    expect(taken).toMatchObject({
      removalId: asked.removal.id,
      records: { organization: { members: [{ email, role: 'owner' }] }, registration: { id: anchorId } },
    })
    expect(JSON.stringify(taken)).not.toContain(stood.summarySecret)

    const { id } = asked.removal
    const tell = (state: life.Removal['state'], made: life.Export | null = null) =>
      app.service.call(reportRemoval, {
        params: { anchorId },
        body: { id, state, export: made, error: null },
      })
    await tell('exporting')
    expect(services.registry.has(anchorId)).toBe(true)
    await tell('withdrawing', file)
    expect(services.registry.has(anchorId)).toBe(false)
    await tell('withdrawing', file)
    await Promise.all([tell('done', file), tell('done', file)])
    // A report that was overtaken.
    await tell('dropping', file)
    expect(await admin.call(life.getRemoval, { params })).toMatchObject({ state: 'done', export: file })
    const gone = await admin.call(listFleet, { query: { status: 'removed' } })
    expect(gone.find(anchor => anchor.id === anchorId)).toMatchObject({ reason: body.reason })
    await app.drain()
    expect(app.mails.filter(({ to, subject }) => to === email && subject.includes('removed'))).toHaveLength(1)

    const archive = await admin.open(life.downloadExport, { params })
    expect(archive.headers.get('content-disposition')).toContain(file.file)
    expect(await archive.text()).toBe('the archive')
    const [entry] = await admin.call(listAudit, { query: { subject: `anchor:${anchorId}` } })
    expect(entry).toMatchObject({ action: 'anchor.export-downloaded', details: { file: file.file } })
  })

  it('waits for an end of open transfers, unless it is forced', async () => {
    const { params } = await activeAnchor()
    services.openTransfers = 2
    const answer = await refusal(admin.call(life.removeAnchor, { params, body: { reason: 'why not' } }))
    expect(answer.problem).toMatchObject({ code: 'anchor-has-open-transfers', detail: /^2 / })
    const forced = await admin.call(life.removeAnchor, { params, body: { reason: 'lost', force: true } })
    expect(forced.removal.forced).toBe(true)
  })

  it('says what the anchor holds of existing assets, unless it is to be left', async () => {
    const { params } = await activeAnchor()
    services.unitsHeld = [
      { code: 'USDC', amount: '250' },
      { code: 'EURC', amount: '0.5' },
    ]
    const ask = (more: object) => admin.call(life.removeAnchor, { params, body: { reason: 'over', ...more } })
    for (const more of [{}, { force: true }])
      expect((await refusal(ask(more))).problem).toMatchObject({
        code: 'anchor-holds-units',
        detail: 'The distribution account still holds 250 USDC, 0.5 EURC.',
      })
    expect((await ask({ leaveUnits: true })).removal.state).toBe('requested')
  })

  it('may be asked for again where the control plane refused it', async () => {
    const { anchorId, params } = await activeAnchor()
    const ask = () => admin.call(life.removeAnchor, { params, body: { reason: 'over' } })
    const { id } = (await ask()).removal
    const refused = { id, state: 'refused', export: null, error: '1 transfer is open.' } as const
    await app.service.call(reportRemoval, { params: { anchorId }, body: refused })
    expect(await admin.call(life.getRemoval, { params })).toMatchObject({ state: 'refused' })
    expect(await admin.call(resumeAnchor, { params })).toMatchObject({ status: 'active' })
    expect((await ask()).removal.id).not.toBe(id)
  })

  it('is one however many ask at once', async () => {
    const { anchorId, params } = await activeAnchor()
    const asked = await Promise.allSettled(
      Array.from({ length: 10 }, () => admin.call(life.removeAnchor, { params, body: { reason: 'over' } })),
    )
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await app.drain()
    const ofIt = services.removals.filter(({ records }) => JSON.stringify(records).includes(anchorId))
    expect(ofIt).toHaveLength(1)
  })

  it('is the administrator’s alone, with a reason, and is known only where it was asked for', async () => {
    const { params } = await activeAnchor()
    const ask = (caller: typeof admin, reason: string) =>
      caller.call(life.removeAnchor, { params, body: { reason } })
    expect(await codeOf(ask(app.client(), 'x'))).toBe('unauthenticated')
    expect(await codeOf(ask(admin, ''))).toBe('validation-failed')
    expect(await codeOf(admin.call(life.getRemoval, { params }))).toBe('removal-not-found')
    expect(await codeOf(admin.call(life.downloadExport, { params }))).toBe('removal-not-found')
  })
})

describe('the log of a run', () => {
  const line = (id: number): LogLine => ({
    id,
    at: '2026-11-20T12:00:00.000Z',
    stage: 'Generating Stellar keys',
    level: 'info',
    text: `line ${id}`,
  })

  it('is streamed to its owner as it grows, from where a client was cut, and to nobody else', async () => {
    const [{ anchorId, email }, stranger] = [await activeAnchor(), await activeAnchor()]
    await app.drain()
    services.log = [line(1), line(2)]
    const open = async (who: string, lastEventId = '') => {
      const { cookies } = await signInOperator(app, who)
      const headers = { cookie: cookies.header(), 'last-event-id': lastEventId }
      return fetch(`${address}/api/v1/anchors/${anchorId}/log/events`, { headers })
    }
    expect((await open(stranger.email)).status).toBe(404)
    expect((await fetch(`${address}/api/v1/anchors/${anchorId}/log/events`)).status).toBe(401)
    const answer = await open(email, '1')
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      if (text.includes('line 2')) services.log = [line(1), line(2), line(3)]
      if (text.includes('line 3')) break
    }
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(['2', '3'])
  })
})
