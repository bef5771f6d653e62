import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClusteredBusiness, startClusteredBusiness } from './clustered-business.ts'
import { type ClusteredStack, raiseClusteredStack } from './clustered-stack.ts'
import { startLoad } from './load.ts'

const wanted = process.env.MODE === 'cluster'

// npm run test:cluster
const stack = wanted ? await raiseClusteredStack() : 'it is not asked for'
if (wanted && typeof stack === 'string') console.warn(`SKIPPED: the platform on a cluster, because ${stack}`)

describe.skipIf(typeof stack === 'string')('the platform on three nodes', { timeout: 900_000 }, () => {
  if (typeof stack === 'string') return
  const { docker } = stack as ClusteredStack
  let business: ClusteredBusiness
  beforeAll(async () => {
    business = await startClusteredBusiness(stack)
  }, 900_000)
  afterAll(async () => {
    await business?.story.anchors.close()
    await stack.remove()
  }, 240_000)

  it.each(['control-plane', 'aggregator', 'platform-api', 'reverse-proxy', 'signer'])(
    'provisions and moves money while a copy of the %s is killed',
    async part => {
      const money = business.moveMoney()
      const jobId = await business.redeem()
      const [node = 1] = await business.nodesOf(`windlass_${part}`)
      await docker(['kill', ...(await business.containersOf(`windlass_${part}`, node))], node)
      await business.untilCompleted(jobId)
      await money.moves()
      await money.isExact()
    },
  )

  it('loses no request while the platform and an anchor are upgraded', async () => {
    const money = business.moveMoney()
    const load = startLoad([...business.health, business.anchorUrl], { port: stack.port })
    const anchor = `name=windlass-${business.anchorId}`
    const format = '{{.Image}} {{.Replicas}}'
    const serving = async () => {
      const listed = await business.lines(['service', 'ls', '--format', format, '--filter', anchor])
      return listed.filter(line => line.endsWith(' 1/1'))
    }
    const [before] = await serving()
    await stack.deploy(await stack.makeNewer())
    // By their content, whatever its tag.
    const newer = async () => (await serving()).filter(image => image !== before)
    await expect.poll(newer, { timeout: 400_000, interval: 2_000 }).toHaveLength(2)
    const { failures, sent } = await load.stop()
    expect(failures).toEqual([])
    expect(sent).toBeGreaterThan(100)
    await money.isExact()
  })
})
