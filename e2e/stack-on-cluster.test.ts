import { createClient, CookieJar } from '@windlass/client/client.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { getJobStatus } from '@windlass/contracts/platform/provisioning.ts'
import { freePort } from '@windlass/testing/free-ports.ts'
import { openDeposit, payDeposit, readTransaction, withdrawAmount } from '@windlass/windlass/demo/money.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory } from '@windlass/windlass/demo/story.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApplying } from './applying.ts'
import { foundersOf } from './founders.ts'
import { agrees, ledgerOf, type Owner } from './ledger-and-journal.ts'
import {
  PRIMARY_FAULTS,
  makeDatabases,
  obstacleToCluster,
  type PostgresCluster,
  startPostgresCluster,
} from './postgres-cluster.ts'
import { raiseWholeStack, type RaisedStack } from './raised-stack.ts'
import { repeat } from './repeat.ts'

const wanted = process.env.MODE === 'cluster'
const slowly = { timeout: 120_000, interval: 500 }

/** Waits whatever the answers on the way are. */
async function untilCompleted(visitor: Owner['operator'], jobId: string): Promise<void> {
  const status = () => visitor.call(getJobStatus, { params: { jobId } }).then(job => job.status, String)
  await expect.poll(status, { ...slowly, timeout: 240_000 }).toBe('completed')
}

// npm run test:cluster
describe.runIf(wanted && obstacleToCluster() === null)(
  'Windlass on two Postgres machines',
  { timeout: 600_000 },
  () => {
    let cluster: PostgresCluster
    let stack: RaisedStack
    let owner: Owner
    beforeAll(async () => {
      cluster = await startPostgresCluster(await freePort())
      stack = await raiseWholeStack(await makeDatabases(cluster.url))
      const story = beginStory(stack.variables)
      for (const step of STEPS) await step.run(story, () => undefined)
      owner = { story, operator: story.operator }
    }, 600_000)
    afterAll(async () => {
      await owner?.story.anchors.close()
      await stack?.remove()
      await cluster?.stop()
    })

    it.each(PRIMARY_FAULTS)(
      'moves money and provisions anchors while a primary $what',
      async ({ begin, end }) => {
        const { story } = owner
        const visitor = createClient({
          baseUrl: stack.variables.PLATFORM_URL ?? '',
          cookies: new CookieJar(),
        })
        const token = await foundersOf(stack.variables).invite()
        const [opened, settled]: [string[], string[]] = [[], []]
        const readiness = new Set<number>()
        const asking = repeat(async () => {
          readiness.add((await fetch(`${stack.variables.PLATFORM_URL}/health`)).status)
        })
        const applying = startApplying(stack.variables)
        const moving = repeat(async () => {
          const id = await openDeposit(story, '5')
          opened.push(id)
          await payDeposit(story, id)
          settled.push(id)
          await withdrawAmount(story, '2')
        })
        const subdomain = `load-${randomBytes(6).toString('hex')}`
        const body = { token, subdomain, fullName: 'Load Founder', password: randomBytes(12).toString('hex') }
        const { jobId } = await visitor.call(redeemInvitation, { body })

        const old = await cluster.primary()
        begin(old)
        await sleep(2_500)
        const [applied, moved] = [applying.done(), moving.done()]
        await expect.poll(applying.done, { timeout: 30_000, interval: 100 }).toBeGreaterThan(applied + 2)
        await expect.poll(moving.done, slowly).toBeGreaterThan(moved + 1)
        end(old)
        await untilCompleted(visitor, jobId)
        await cluster.untilWhole()
        await Promise.all([applying, moving, asking].map(each => each.stop()))

        expect([...readiness].sort()).toEqual([200, 503])
        expect(applying.failures.filter(failure => !failure.includes('503 dependency-unavailable'))).toEqual(
          [],
        )
        expect(moving.failures.filter(failure => /\b500\b/.test(failure))).toEqual([])
        expect(await applying.lostIn(cluster.url)).toEqual([])
        const completed = new Set<string>()
        for (const id of opened) {
          const status = async () => (await readTransaction(story, id)).status
          // The customer's payment of one that waits was not accepted.
          const ended = /^(completed|pending_user_transfer_start)$/
          await expect.poll(() => status().catch(String), slowly).toMatch(ended)
          if ((await status()) === 'completed') completed.add(id)
        }
        expect(settled.filter(id => !completed.has(id))).toEqual([])
        await agrees([owner])
        deposits += completed.size
        expect((await ledgerOf(story)).payments.filter(amount => amount < 10)).toHaveLength(deposits)
      },
    )

    let deposits = 0
  },
)
