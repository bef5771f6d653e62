import { startCluster } from '@windlass/testing/cluster.ts'
import { freePort } from '@windlass/testing/free-ports.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApplying } from './applying.ts'
import { type ClusteredBusiness, startClusteredBusiness } from './clustered-business.ts'
import { raiseClusteredStack } from './clustered-stack.ts'
import { PRIMARY_FAULTS, makeDatabases, obstacleToCluster, startPostgresCluster } from './postgres-cluster.ts'

const NODES = [1, 2, 3]
const wanted = process.env.MODE === 'cluster'

async function raise() {
  const obstacle = obstacleToCluster()
  if (obstacle !== null) return obstacle
  const nodes = await startCluster()
  if (typeof nodes === 'string') return nodes
  const postgres = await startPostgresCluster(await freePort())
  const stack = await raiseClusteredStack(await makeDatabases(postgres.url, postgres.serveNodes(NODES)))
  const stop = async () => {
    await postgres.stop()
    await nodes.stop()
  }
  if (typeof stack !== 'string') return { postgres, stack, stop }
  await stop()
  return stack
}

// npm run test:cluster
const raised = wanted ? await raise() : 'it is not asked for'
if (wanted && typeof raised === 'string')
  console.warn(`SKIPPED: the platform on a cluster beside Postgres on two machines, because ${raised}`)

describe.skipIf(typeof raised === 'string')(
  'the platform on three nodes with Postgres on two machines',
  { timeout: 900_000 },
  () => {
    if (typeof raised === 'string') return
    const { postgres, stack, stop } = raised
    let business: ClusteredBusiness
    beforeAll(async () => {
      business = await startClusteredBusiness(stack)
    }, 900_000)
    afterAll(async () => {
      await business?.story.anchors.close()
      await stack.remove()
      await stop()
    }, 240_000)

    it('has no Postgres of its own', async () => {
      const names = await business.lines(['service', 'ls', '--format', '{{.Name}}'])
      expect(names).toContain('windlass_platform-api')
      expect(names).not.toContain('windlass_postgres')
    })

    it.each(PRIMARY_FAULTS)(
      'moves money and provisions anchors while a primary $what',
      async ({ begin, end }) => {
        const applying = startApplying(stack.variables)
        const money = business.moveMoney()
        const { jobId } = await business.redeem()
        const old = await postgres.primary()
        begin(old)
        try {
          await sleep(2_500)
          const applied = applying.done()
          await expect.poll(applying.done, { timeout: 30_000, interval: 100 }).toBeGreaterThan(applied + 2)
          await money.moves()
        } finally {
          end(old)
        }
        await business.untilCompleted(jobId)
        await postgres.untilWhole()
        await money.isExact()
        await applying.stop()
        expect(applying.failures.filter(failure => !failure.includes('503 dependency-unavailable'))).toEqual(
          [],
        )
        expect(await applying.lostIn(postgres.url)).toEqual([])
        await business.untilAllRun()
      },
    )
  },
)
