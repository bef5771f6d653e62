import { signCallback, signChallenge, signIssue } from '@windlass/contracts/internal/signer.ts'
import { CLOCK_HEADER } from '@windlass/service/observe/clocks.ts'
import { expect, it } from 'vitest'
import { challengeOf, mumbai, pay, seen, signer, startTwoAnchors } from '../testing/two-anchors.ts'

startTwoAnchors()

/** The SEP server of a machine whose clock is so many seconds ahead. */
const ask = (seconds: number, told = seconds, over: Parameters<typeof challengeOf>[1] = {}) =>
  signer.as(mumbai.credentials.sep).call(signChallenge, {
    body: { transaction: challengeOf(mumbai, over, new Date(Date.now() + seconds * 1_000)).toXdr() },
    headers: { [CLOCK_HEADER]: String(Date.now() + told * 1_000) },
  })
const differ = { status: 503, problem: { code: 'clocks-differ' } }
const refused = { status: 403, problem: { code: 'signature-refused' } }

it('says that clocks differ, and by how much, where a challenge is right by the clock of its server alone', async () => {
  await expect(ask(400)).rejects.toMatchObject(differ)
  await expect(ask(-1_200)).rejects.toMatchObject(differ)
  await expect(ask(2)).resolves.toHaveProperty('signature')
  const { stopped } = await seen(mumbai)
  expect(stopped).toMatchObject([{ reason: 'clocks-differ', count: 2, server: 'sep' }])
  expect(stopped[0]?.detail).toMatch(/^The server's clock is 1(199|200) s behind the signer's/)
})

it('says the same of a callback', async () => {
  const time = Math.floor(Date.now() / 1_000) - 900
  const body = { time, host: 'wallet.example', body: '{"transaction":{}}' }
  const headers = { [CLOCK_HEADER]: String(time * 1_000) }
  const call = () => signer.as(mumbai.credentials.sep).call(signCallback, { body, headers })
  await expect(call()).rejects.toMatchObject(differ)
})

it('signs nothing for a time that a thief invents, and keeps the reason of what is wrong by any clock', async () => {
  await expect(ask(400, 0)).rejects.toMatchObject(refused)
  await expect(ask(0, 400, { homeDomain: 'evil.example' })).rejects.toMatchObject(refused)
  await expect(ask(400, 400, { homeDomain: 'evil.example' })).rejects.toMatchObject(refused)
  await expect(ask(31_536_000, Infinity)).rejects.toMatchObject(refused)
  const { stopped } = await seen(mumbai)
  expect(stopped).toMatchObject([{ reason: 'not-a-challenge', count: 4 }])
})

it('says to the control plane, whose times are those of the ledger, that the clock is wrong', async () => {
  const now = Math.floor(Date.now() / 1_000)
  const ask = (maxTime: number) =>
    signer.control.call(signIssue, {
      params: { anchorId: mumbai.id },
      body: {
        account: mumbai.accounts.distribution,
        transaction: pay('1', { maxTime, source: mumbai.accounts.issuer }).toXdr(),
      },
    })
  await expect(ask(now + 7_200)).rejects.toMatchObject(differ)
  await expect(ask(now + 100)).rejects.toMatchObject(refused)
})
