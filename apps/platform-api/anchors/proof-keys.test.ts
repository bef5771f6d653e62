import { verifyApiKey } from '@windlass/contracts/platform/api-keys.ts'
import { platformKey } from '@windlass/service/http/platform-proof.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { refusal } from '../testing/story.ts'
import { findAnchor } from './anchors.ts'
import { proofKeyOf, sealProofKeys } from './proof-keys.ts'

let app: TestApp
let anchor: Awaited<ReturnType<typeof activeAnchor>>
let key: Buffer
beforeAll(async () => {
  app = await testApp()
  const owner = await signInOperator(app, 'owner@proofs.example')
  anchor = await activeAnchor(app, owner.user.id, 'proofs')
  key = platformKey(anchor.secret)
  await app.database.pool.query(
    `update schema_migrations set applied_at = now() where name = '0295-proof-keys.sql'`,
  )
})
afterAll(() => app.close())

const shown = () => findTexts(app.database.url, [key.toString('hex'), anchor.secret])
/** Whether the anchor's own requests are taken for its own. */
const isKnown = async () => {
  const { problem } = await refusal(anchor.client.call(verifyApiKey, { body: { key: 'wl_test_none' } }))
  return !problem.detail.includes('Send a service secret')
}
const keyNow = async () => {
  const row = await findAnchor(app.database.db, anchor.id)
  return row && proofKeyOf(app.deps.sealer, row)
}
const sealAfter = (minutes: number) =>
  sealProofKeys({
    ...app.deps,
    clock: { ...app.deps.clock, now: () => new Date(Date.now() + minutes * 60_000) },
  })

describe('the key by which the platform proves itself to an anchor', () => {
  it('is in no table for who reads the database, and the anchor is found by its secret', async () => {
    expect(await shown()).toEqual([])
    expect([await isKnown(), await keyNow()]).toEqual([true, key])
  })

  it('of an earlier release counts for both releases until that one runs no more, and is sealed then', async () => {
    await app.database.pool.query(
      `update anchors set service_secret_hash = $2, service_secret_digest = null, sealed_proof_key = null where id = $1`,
      [anchor.id, key],
    )
    await sealAfter(9)
    expect(await shown()).toEqual([`public.anchors.service_secret_hash: ${key.toString('hex')}`])
    expect([await isKnown(), await keyNow()]).toEqual([true, key])
    await sealAfter(11)
    expect(await shown()).toEqual([])
    expect([await isKnown(), await keyNow()]).toEqual([true, key])
  })

  it('is the newer one where an earlier release changed it meanwhile', async () => {
    const newer = platformKey('another secret of the same anchor')
    await app.database.pool.query('update anchors set service_secret_hash = $2 where id = $1', [
      anchor.id,
      newer,
    ])
    expect(await keyNow()).toEqual(newer)
    await sealAfter(11)
    expect([await isKnown(), await keyNow()]).toEqual([false, newer])
  })
})
