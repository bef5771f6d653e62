import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ClusteredStack, raiseClusteredStack } from './clustered-stack.ts'
import { type ClusteredBusiness, slowly, startClusteredBusiness } from './clustered-business.ts'
import { startLoad } from './load.ts'

const run = promisify(execFile)
const wanted = process.env.MODE === 'cluster'
/** It has Postgres. */
const DATA_NODE = 1
const MANAGERS = [1, 2, 3]

// npm run test:cluster
const stack = wanted ? await raiseClusteredStack() : 'it is not asked for'
if (wanted && typeof stack === 'string') console.warn(`SKIPPED: nodes of a cluster, because ${stack}`)

/** What happens to nodes while money moves and anchors are provisioned, and what operators do, by docs/guides/cluster.md. */
describe.skipIf(typeof stack === 'string')('three nodes with the platform', { timeout: 900_000 }, () => {
  if (typeof stack === 'string') return
  const { cluster, docker } = stack as ClusteredStack
  let business: ClusteredBusiness
  beforeAll(async () => {
    business = await startClusteredBusiness(stack)
  }, 900_000)
  // A node that comes back may make the others elect a leader again; until they have, nothing answers.
  beforeEach(async () => {
    await business.untilReady(3)
  }, 240_000)
  afterAll(async () => {
    await business?.story.anchors.close()
    await stack.remove()
  }, 240_000)

  interface Fault {
    what: string
    node(): Promise<number>
    begin(node: number): Promise<unknown>
    end(node: number): Promise<unknown>
  }
  const ofAnAnchor = async () => (await business.nodesOfAnchor()).find(node => node !== DATA_NODE) ?? 3
  const leader = async () => {
    const listed = await business.lines(['node', 'ls', '--format', '{{.Hostname}} {{.ManagerStatus}}'])
    return Number(/^node-(\d) Leader$/m.exec(listed.join('\n'))?.[1])
  }
  const faults: Fault[] = [
    {
      what: 'a node loses power',
      node: ofAnAnchor,
      begin: node => cluster.kill(node),
      end: node => cluster.boot(node),
    },
    {
      what: 'a node is cut off',
      node: ofAnAnchor,
      begin: node => cluster.cut(node),
      end: node => cluster.mend(node),
    },
    {
      what: 'the engine that leads the cluster is killed',
      node: leader,
      begin: node => cluster.crash(node),
      end: () => Promise.resolve(),
    },
  ]
  it.each(faults)('provisions and moves money after $what', async ({ what, node: find, begin, end }) => {
    const node = await find()
    const [other = 1] = MANAGERS.filter(each => each !== node)
    const money = business.moveMoney()
    await money.moves()
    const { jobId } = await business.redeem()
    const since = performance.now()
    await begin(node)
    try {
      await sleep(3_000)
      await money.moves()
      console.log(`${what}: money moved again ${((performance.now() - since) / 1_000).toFixed(0)} s later`)
      await business.untilCompleted(jobId)
    } finally {
      // What comes after it has three nodes in any case.
      await end(node)
    }
    await business.untilReady(3, other)
    await business.untilAllRun(other)
    await money.isExact()
  })

  it('loses no request of the platform while a node with copies is drained', async () => {
    const money = business.moveMoney()
    // A node that was lost has no copies any more, one that is drained none of what it had.
    const node = (await business.nodesOf('windlass_reverse-proxy')).find(each => each !== DATA_NODE) ?? 0
    expect(await business.containersOf('windlass_reverse-proxy', node)).toHaveLength(1)
    const load = startLoad(business.health, { port: stack.port })
    await docker(['node', 'update', '--availability', 'drain', `node-${node}`])
    await expect.poll(() => business.lines(['ps', '--quiet'], node), slowly).toEqual([])
    await business.untilAllRun()
    await docker(['node', 'update', '--availability', 'active', `node-${node}`])
    const { failures, sent } = await load.stop()
    expect(failures).toEqual([])
    expect(sent).toBeGreaterThan(100)
    await money.moves()
    await money.isExact()
  })

  it('continues with a new machine, a worker alone, in place of a lost one', async () => {
    const money = business.moveMoney()
    const token = await docker(['swarm', 'join-token', '--quiet', 'worker'])
    await cluster.empty(3)
    const status = () => docker(['node', 'ls', '--filter', 'name=node-3', '--format', '{{.Status}}'])
    await expect.poll(status, slowly).toBe('Down')
    await docker(['node', 'demote', 'node-3'])
    await docker(['node', 'rm', '--force', 'node-3'])
    await cluster.boot(3)
    await docker(['swarm', 'join', '--token', token, '--advertise-addr', '10.77.0.3', '10.77.0.1:2377'], 3)
    await business.untilReady(3)
    await docker(['node', 'update', '--availability', 'drain', 'node-2'])
    await business.untilAllRun()
    // Nothing but it and the node with the data has anything now: anchors move there, control planes do not.
    await expect.poll(() => business.lines(['ps', '--quiet'], 3), slowly).not.toEqual([])
    expect(await business.nodesOf('windlass_control-plane')).toEqual([1, 1, 1])
    await business.untilCompleted((await business.redeem()).jobId)
    await money.moves()
    await docker(['node', 'update', '--availability', 'active', 'node-2'])
    await docker(['node', 'promote', 'node-3'])
    const managers = () => business.lines(['node', 'ls', '--format', '{{.ManagerStatus}}'])
    await expect
      .poll(async () => (await managers()).toSorted(), slowly)
      .toEqual(['Leader', 'Reachable', 'Reachable'])
    await money.isExact()
  })

  /** The key that managers ask for after a start. */
  const lock = async () => {
    const printed = await docker(['swarm', 'update', '--autolock=true'])
    return /SWMKEY\S+/.exec(printed)?.[0] ?? ''
  }
  const unlock = async (node: number, key: string) => {
    const unlocking = run('docker', ['--host', cluster.engine(node), 'swarm', 'unlock'])
    unlocking.child.stdin?.end(`${key}\n`)
    await unlocking
  }
  /** Until what a manager keeps is readable with the key alone, or without it, which it learns of a little later. */
  const untilLocked = (node: number, isLocked = true) => {
    const key = join(cluster.stateOf(node), 'certificates', 'swarm-node.key')
    return expect.poll(() => readFileSync(key, 'utf8').includes('ENCRYPTED'), slowly).toBe(isLocked)
  }

  it('takes a manager of a locked cluster back once it has the key', async () => {
    const money = business.moveMoney()
    const key = await lock()
    await untilLocked(3)
    const restart = async () => {
      await cluster.halt(3)
      await cluster.boot(3)
      expect(await docker(['info', '--format', '{{.Swarm.LocalNodeState}}'], 3)).toBe('locked')
    }
    await restart()
    await money.moves()
    await unlock(3, key)
    // An engine of release 20.10 may report nothing to the others until it is restarted, as the guide says.
    await business.untilReady(3).catch(async () => {
      await restart()
      await unlock(3, key)
      await business.untilReady(3)
    })
    await business.untilAllRun()
    await docker(['swarm', 'update', '--autolock=false'])
    await untilLocked(3, false)
    await money.isExact()
  })

  it('continues with a backup of its state when every manager of a locked cluster is lost', async () => {
    const money = business.moveMoney()
    await lock()
    // The engine makes no new cluster of a locked copy.
    await docker(['swarm', 'update', '--autolock=false'])
    await untilLocked(2, false)
    await cluster.halt(2)
    const archive = join(cluster.folder, 'swarm.tgz')
    await run('tar', ['-C', dirname(cluster.stateOf(2)), '-czf', archive, 'swarm'])
    await cluster.boot(2)
    await business.untilReady(3)
    await lock()
    await business.untilAllRun()
    // The backup does not have it.
    const { jobId, anchorId } = await business.redeem()
    await business.untilCompleted(jobId)

    for (const node of [2, 3]) await cluster.empty(node)
    await docker(['swarm', 'leave', '--force'], 1)
    await cluster.boot(2)
    await cluster.halt(2)
    rmSync(cluster.stateOf(2), { recursive: true })
    await run('tar', ['-C', dirname(cluster.stateOf(2)), '-xzf', archive])
    await cluster.boot(2)
    await docker(['swarm', 'init', '--force-new-cluster', '--advertise-addr', '10.77.0.2'], 2)
    // It is not to start everything alone.
    await docker(['node', 'update', '--availability', 'drain', 'node-2'], 2)
    await docker(['node', 'rm', '--force', 'node-1', 'node-3'], 2)
    const token = await docker(['swarm', 'join-token', '--quiet', 'worker'], 2)
    await cluster.boot(3)
    for (const node of [1, 3]) {
      const own = ['--advertise-addr', `10.77.0.${node}`]
      await docker(['swarm', 'join', '--token', token, ...own, '10.77.0.2:2377'], node)
    }
    await docker(['node', 'update', '--label-add', 'windlass.data=true', 'node-1'], 2)
    await docker(['node', 'update', '--availability', 'active', 'node-2'], 2)
    await business.untilReady(3, 2)
    await business.untilAllRun(2)
    for (const node of ['node-1', 'node-3']) await docker(['node', 'promote', node], 2)
    await business.untilReady(3)
    const servers = () =>
      business.lines(['service', 'ls', '--quiet', '--filter', `name=windlass-${anchorId}`])
    await expect.poll(() => servers().catch(String), slowly).toHaveLength(2)
    await business.untilAllRun()
    await money.moves()
    await business.untilCompleted((await business.redeem()).jobId)
    await money.isExact()
  })

  it('keeps its volumes alone when it is removed', async () => {
    await stack.down()
    for (const kind of ['service', 'secret', 'config']) expect(await docker([kind, 'ls', '--quiet'])).toBe('')
    const overlays = ['network', 'ls', '--filter', 'driver=overlay', '--format', '{{.Name}}']
    expect(await docker(overlays)).toBe('ingress')
    expect(await business.lines(['volume', 'ls', '--quiet'], DATA_NODE)).toContain('windlass-postgres')
  })
})
