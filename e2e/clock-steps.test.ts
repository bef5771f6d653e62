import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { createSteppedClock, missingForSteps, type SteppedClock } from '@windlass/testing/stepped-clock.ts'
import {
  askAs,
  openDeposit,
  openWithdrawal,
  payDeposit,
  payWithdrawal,
  withdrawAmount,
} from '@windlass/windlass/demo/money.ts'
import { watchProvisioning } from '@windlass/windlass/demo/provisioning.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory } from '@windlass/windlass/demo/story.ts'
import type { StackLock } from '@windlass/windlass/run-files.ts'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createCommandStack } from './command-stack.ts'
import { agrees, ledgerOf, namedIncidents, type Owner } from './ledger-and-journal.ts'

const missing = missingForSteps()
if (missing !== null) console.warn(`SKIPPED: a machine whose clock is set: it needs ${missing}`)

const slowly = { timeout: 180_000, interval: 1_000 }
const upToRedeemed = STEPS.slice(0, STEPS.indexOf(watchProvisioning))

/** The machine of the stack has the clock; the ledger, customers and founders are elsewhere. */
describe.skipIf(missing !== null)('a stack whose clock is set', { timeout: 900_000 }, () => {
  let root: string
  let stack: Awaited<ReturnType<typeof createCommandStack>>
  let clock: SteppedClock
  let network: LocalNetwork
  let lock: StackLock
  let owner: Owner

  afterAll(async () => {
    await owner?.story.anchors.close()
    await stack?.windlass('stop', '--volumes')
    await network?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  it('begins with anchors that hold money', async () => {
    root = mkdtempSync(join(fastFolder(), 'windlass-clock-'))
    // Services run as users of their own.
    chmodSync(root, 0o755)
    mkdirSync(join(root, 'clock'))
    clock = createSteppedClock(join(root, 'clock'))
    network = await startLocalNetwork({ closeEvery: 2_000 })
    stack = await createCommandStack(root, clock.under)
    const { url: HORIZON_URL, friendbotUrl: FRIENDBOT_URL, passphrase: NETWORK_PASSPHRASE } = network
    Object.assign(stack.environment, { HORIZON_URL, FRIENDBOT_URL, NETWORK_PASSPHRASE })
    lock = await stack.start()
    const story = beginStory(lock.variables)
    for (const step of STEPS) await step.run(story, () => undefined)
    owner = { story, operator: story.operator }
    await agrees([owner])
  })

  it.each([
    ['ahead', 7_200, /WindlassLedgerSilent/],
    ['behind', -7_200, /WindlassClocksDiffer/],
  ])(
    'two hours %s, and back: what was on the way arrives once, and all works on',
    async (_where, seconds, runbook) => {
      const { story } = owner
      const fresh = beginStory(lock.variables)
      for (const step of upToRedeemed.slice(0, -2)) await step.run(fresh, () => undefined)
      const ask = await askAs(story)
      const statusOf = async (id: string) =>
        (await ask<{ transaction: { status: string } }>('GET', `/sep6/transaction?id=${id}`)).transaction
          .status
      const deposit = await openDeposit(story, '11')
      const [withdrawal, later] = [
        await openWithdrawal(story, ask, '5'),
        await openWithdrawal(story, ask, '6'),
      ]
      const before = (await ledgerOf(story)).payments.length
      await ask('POST', `/sandbox/transactions/${deposit}/payment`, {})
      await payWithdrawal(story, withdrawal)
      for (const step of upToRedeemed.slice(-2)) await step.run(fresh, () => undefined)

      clock.set(seconds)
      await sleep(15_000)
      await payWithdrawal(story, later)
      await sleep(10_000)
      const said = await stack.windlass('status').catch((error: { stdout: string }) => error.stdout)
      expect(said).toMatch(runbook)
      clock.set(0)

      for (const id of [deposit, withdrawal.id, later.id])
        await expect.poll(() => statusOf(id).catch(String), slowly).toBe('completed')
      await expect
        .poll(() => watchProvisioning.run(fresh, () => undefined).then(() => 'up', String), slowly)
        .toBe('up')
      expect(await namedIncidents(owner)).toEqual([])
      await agrees([owner])
      expect((await ledgerOf(story)).payments.length).toBe(before + 1)
      await payDeposit(story, await openDeposit(story, '3'))
      await withdrawAmount(story, '2')
      for (const step of STEPS.slice(STEPS.indexOf(watchProvisioning) + 1))
        await step.run(fresh, () => undefined)
      await agrees([owner])
      expect(await stack.windlass('status')).toContain('healthy')
    },
  )
})
