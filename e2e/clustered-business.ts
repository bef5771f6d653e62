import { CookieJar, createClient } from '@windlass/client/client.ts'
import { redeemInvitation } from '@windlass/contracts/invitations.ts'
import { getJobStatus } from '@windlass/contracts/provisioning.ts'
import { openDeposit, payDeposit, readTransaction, withdrawAmount } from '@windlass/windlass/demo/money.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made } from '@windlass/windlass/demo/story.ts'
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { ClusteredStack } from './clustered-stack.ts'
import { foundersOf } from './founders.ts'
import { agrees, type Owner } from './ledger-and-journal.ts'
import { repeat } from './repeat.ts'

export const slowly = { timeout: 240_000, interval: 1_000 }

export type ClusteredBusiness = Awaited<ReturnType<typeof startClusteredBusiness>>

/** The onboarding story on a platform in a cluster, and the work that continues there while tests disturb it. */
export async function startClusteredBusiness({ cluster, variables, docker }: ClusteredStack) {
  const story = beginStory(variables)
  for (const step of STEPS) await step.run(story, () => undefined)
  const owner: Owner = { story, operator: story.operator }
  const anchorId = made(story.first.anchorId, 'anchor')
  const visitor = () => createClient({ baseUrl: variables.PLATFORM_URL ?? '', cookies: new CookieJar() })

  /** Deposits and withdrawals of one customer, all the time. */
  function moveMoney() {
    const [opened, settled]: [string[], string[]] = [[], []]
    const moving = repeat(async () => {
      const id = await openDeposit(story, '5')
      opened.push(id)
      await payDeposit(story, id)
      settled.push(id)
      await withdrawAmount(story, '2')
    })
    const moves = async () => {
      const before = moving.done()
      await expect.poll(moving.done, slowly).toBeGreaterThan(before + 1)
    }
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
    return { moves, isExact }
  }

  /** Asks for an anchor. */
  async function redeem(): Promise<{ jobId: string; anchorId: string }> {
    const token = await foundersOf(variables).invite()
    const subdomain = `load-${randomBytes(6).toString('hex')}`
    const body = { token, subdomain, fullName: 'Load Founder', password: randomBytes(12).toString('hex') }
    return visitor().call(redeemInvitation, { body })
  }
  const readJob = (jobId: string) =>
    visitor().call(getJobStatus, { params: { jobId }, signal: AbortSignal.timeout(10_000) })
  const untilCompleted = async (jobId: string) => {
    const status = () => readJob(jobId).then(job => job.status, String)
    await expect.poll(status, { ...slowly, timeout: 400_000 }).toBe('completed')
    return readJob(jobId)
  }

  const lines = async (args: readonly string[], manager?: number) =>
    (await docker(args, manager)).split('\n').filter(line => line !== '')
  /** Nodes that are to run a service of the stack, or of an anchor. */
  const nodesOf = async (name: string, manager?: number): Promise<number[]> => {
    const format = ['--filter', 'desired-state=running', '--format', '{{.Node}}']
    const names = await lines(['service', 'ps', ...format, name], manager)
    return names.map(node => Number(node.replace('node-', '')))
  }
  const containersOf = (name: string, node: number) =>
    lines(['ps', '--quiet', '--filter', `label=com.docker.swarm.service.name=${name}`], node)
  /** Where the anchor of the story has a server; one of its two pairs runs. */
  const nodesOfAnchor = async (manager?: number) =>
    (
      await Promise.all(
        ['sep', 'sep-b'].map(each =>
          nodesOf(`windlass-${anchorId}-${each}`, manager).catch((): number[] => []),
        ),
      )
    ).flat()
  const untilReady = (nodes: number, manager?: number) => {
    const ready = async () =>
      (await lines(['node', 'ls', '--format', '{{.Status}}'], manager)).filter(each => each === 'Ready')
    return expect.poll(() => ready().then(found => found.length, String), slowly).toBe(nodes)
  }
  /** Services without all of their copies: none. */
  const untilAllRun = (manager?: number) => {
    const behind = async () => {
      const listed = await lines(['service', 'ls', '--format', '{{.Name}} {{.Replicas}}'], manager)
      return listed.filter(line => !/ (\d+)\/\1$|_databases /.test(line))
    }
    return expect.poll(() => behind().catch(String), slowly).toEqual([])
  }
  const health = [variables.PLATFORM_URL, variables.AGGREGATOR_URL].map(url => `${url}/health/live`)
  return {
    ...{ story, owner, anchorId, cluster, lines, health },
    ...{ moveMoney, redeem, untilCompleted, nodesOf, containersOf, nodesOfAnchor, untilReady, untilAllRun },
    anchorUrl: `http://${made(story.first.anchor, 'anchor').homeDomain?.split(':')[0]}/.well-known/stellar.toml`,
  }
}
