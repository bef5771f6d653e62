import { CookieJar, createClient } from '@windlass/client/client.ts'
import { redeemInvitation } from '@windlass/contracts/invitations.ts'
import { getJobStatus } from '@windlass/contracts/provisioning.ts'
import { openDeposit, payDeposit, readTransaction, withdrawAmount } from '@windlass/windlass/demo/money.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made } from '@windlass/windlass/demo/story.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClusteredStack, raiseClusteredStack } from './clustered-stack.ts'
import { foundersOf } from './founders.ts'
import { agrees, type Owner } from './ledger-and-journal.ts'
import { startLoad } from './load.ts'
import { repeat } from './repeat.ts'

const wanted = process.env.MODE === 'cluster'
const slowly = { timeout: 180_000, interval: 1_000 }

// npm run test:cluster
const stack = wanted ? await raiseClusteredStack() : 'it is not asked for'
if (wanted && typeof stack === 'string') console.warn(`SKIPPED: the platform on a cluster, because ${stack}`)

describe.skipIf(typeof stack === 'string')('the platform on three nodes', { timeout: 900_000 }, () => {
  if (typeof stack === 'string') return
  const { cluster, variables, docker } = stack as ClusteredStack
  let owner: Owner
  beforeAll(async () => {
    const story = beginStory(variables)
    for (const step of STEPS) await step.run(story, () => undefined)
    owner = { story, operator: story.operator }
  }, 600_000)
  afterAll(async () => {
    await owner?.story.anchors.close()
    await stack.remove()
  }, 240_000)

  /** Of a service of the stack, or of an anchor: the containers that a node runs. */
  const containersOf = (name: string, node: number) =>
    docker(['ps', '--quiet', '--filter', `label=com.docker.swarm.service.name=${name}`], node)
  const nodesOf = async (name: string): Promise<number[]> => {
    const names = await docker([
      'service',
      'ps',
      '--filter',
      'desired-state=running',
      '--format',
      '{{.Node}}',
      name,
    ])
    return names.split('\n').map(node => Number(node.replace('node-', '')))
  }
  const anchorHost = () => made(owner.story.first.anchor, 'anchor').homeDomain ?? ''

  async function redeem(): Promise<string> {
    const token = await foundersOf(variables).invite()
    const subdomain = `load-${randomBytes(6).toString('hex')}`
    const body = { token, subdomain, fullName: 'Load Founder', password: randomBytes(12).toString('hex') }
    const visitor = createClient({ baseUrl: variables.PLATFORM_URL ?? '', cookies: new CookieJar() })
    return (await visitor.call(redeemInvitation, { body })).jobId
  }
  const untilCompleted = (jobId: string) => {
    const visitor = createClient({ baseUrl: variables.PLATFORM_URL ?? '' })
    const signal = () => AbortSignal.timeout(10_000)
    const status = () =>
      visitor.call(getJobStatus, { params: { jobId }, signal: signal() }).then(job => job.status, String)
    return expect.poll(status, { ...slowly, timeout: 300_000 }).toBe('completed')
  }

  /** Deposits and withdrawals of one customer, all the time. */
  function moveMoney() {
    const { story } = owner
    const [opened, settled]: [string[], string[]] = [[], []]
    const moving = repeat(async () => {
      const id = await openDeposit(story, '5')
      opened.push(id)
      await payDeposit(story, id)
      settled.push(id)
      await withdrawAmount(story, '2')
    })
    const isExact = async () => {
      await moving.stop()
      const completed = new Set<string>()
      for (const id of opened) {
        const status = () => readTransaction(story, id).then(found => found.status, String)
        // The customer's payment of one that waits was not accepted.
        await expect.poll(status, slowly).toMatch(/^(completed|pending_user_transfer_start)$/)
        if ((await status()) === 'completed') completed.add(id)
      }
      expect(settled.filter(id => !completed.has(id))).toEqual([])
      await agrees([owner])
    }
    return { done: moving.done, isExact }
  }

  it.each(['control-plane', 'aggregator', 'platform-api', 'reverse-proxy', 'signer'])(
    'provisions and moves money while a copy of the %s is killed',
    async part => {
      const money = moveMoney()
      const jobId = await redeem()
      const [node = 1] = await nodesOf(`windlass_${part}`)
      const ids = await containersOf(`windlass_${part}`, node)
      await docker(['kill', ...ids.split('\n')], node)
      const before = money.done()
      await untilCompleted(jobId)
      await expect.poll(money.done, slowly).toBeGreaterThan(before + 1)
      await money.isExact()
    },
  )

  const lost: { what: string; begin(node: number): Promise<unknown>; end(node: number): Promise<unknown> }[] =
    [
      { what: 'loses power', begin: node => cluster.kill(node), end: node => cluster.boot(node) },
      { what: 'is cut off', begin: node => cluster.cut(node), end: node => cluster.mend(node) },
    ]
  it.each(lost)('provisions and moves money after a node $what', async ({ begin, end }) => {
    const money = moveMoney()
    const jobId = await redeem()
    // Data is on node 1.
    const anchorId = made(owner.story.first.anchorId, 'anchor')
    const [node = 3] = (await nodesOf(`windlass-${anchorId}-sep`)).filter(each => each !== 1)
    await begin(node)
    await sleep(15_000)
    const before = money.done()
    await expect.poll(money.done, slowly).toBeGreaterThan(before + 1)
    await untilCompleted(jobId)
    await end(node)
    await untilReady(3)
    await money.isExact()
  })

  it('loses no request of the platform while a node is drained for maintenance', async () => {
    const load = startLoad(platformUrls(), { port: stack.port })
    // Data is on node 1. A node that was lost has no copies any more.
    const node = (await nodesOf('windlass_reverse-proxy')).find(each => each !== 1)
    await docker(['node', 'update', '--availability', 'drain', `node-${node}`])
    const left = () => docker(['ps', '--quiet'], node)
    await expect.poll(left, slowly).toBe('')
    await untilAllRun()
    await docker(['node', 'update', '--availability', 'active', `node-${node}`])
    expect((await load.stop()).failures).toEqual([])
  })

  it('loses no request while the platform and an anchor are upgraded', async () => {
    const money = moveMoney()
    const urls = [...platformUrls(), `http://${anchorHost().split(':')[0]}/.well-known/stellar.toml`]
    const load = startLoad(urls, { port: stack.port })
    const anchor = `name=windlass-${made(owner.story.first.anchorId, 'anchor')}`
    const format = '{{.Image}} {{.Replicas}}'
    const serving = async () => {
      const listed = await docker(['service', 'ls', '--format', format, '--filter', anchor])
      return listed.split('\n').filter(line => line.endsWith(' 1/1'))
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

  function platformUrls(): string[] {
    return [`${variables.PLATFORM_URL}/health/live`, `${variables.AGGREGATOR_URL}/health/live`]
  }

  const untilReady = (nodes: number) =>
    expect
      .poll(
        async () => (await docker(['node', 'ls', '--format', '{{.Status}}'])).match(/Ready/g)?.length,
        slowly,
      )
      .toBe(nodes)

  const untilAllRun = () => {
    const replicas = async () => {
      const listed = await docker(['service', 'ls', '--format', '{{.Name}} {{.Replicas}}'])
      return listed.split('\n').filter(line => !/ (\d+)\/\1$|_databases /.test(line))
    }
    return expect.poll(replicas, slowly).toEqual([])
  }
})
