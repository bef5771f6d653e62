import { Keypair } from '@stellar/stellar-sdk'
import { CookieJar, createClient } from '@windlass/client/client.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { refreshOperatorSession } from '@windlass/contracts/platform/operators.ts'
import { getJobStatus } from '@windlass/contracts/platform/provisioning.ts'
import { add, formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import { linkAndProveWallet } from '@windlass/windlass/demo/customer.ts'
import {
  balance,
  listTransactions,
  openAccount,
  openDeposit,
  payDeposit,
  withdrawAmount,
} from '@windlass/windlass/demo/money.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made, type Story } from '@windlass/windlass/demo/story.ts'
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { ClusteredStack } from './clustered-stack.ts'
import { foundersOf } from './founders.ts'
import { agrees, type Owner } from './ledger-and-journal.ts'
import { repeat } from './repeat.ts'

export const slowly = { timeout: 240_000, interval: 1_000 }

/** An account can begin a hundred transactions in an hour. */
const ROUNDS_OF_A_WALLET = 40

/** A wallet that moves money, and ids of those of its transactions that it saw completed. */
interface Mover {
  story: Story
  rounds: number
  settled: string[]
}

async function moveOnce(mover: Mover): Promise<void> {
  const { story, settled } = mover
  mover.rounds++
  const deposited = await openDeposit(story, '5')
  settled.push((await payDeposit(story, deposited)).id)
  settled.push((await withdrawAmount(story, '2')).id)
}

/** Why a wallet that rests does not hold exactly what its completed transactions say, or null. */
async function wrongWith({ story, settled }: Mover): Promise<string | null> {
  const transactions = await listTransactions(story)
  // The customer's payment of one that waits was not accepted.
  const completed = transactions.filter(({ status }) => status !== 'pending_user_transfer_start')
  const ids = completed.map(({ id }) => id)
  const lost = settled.filter(id => !ids.includes(id))
  const open = completed.filter(({ status }) => status !== 'completed')
  if (lost.length + open.length > 0) return JSON.stringify({ lost, open })
  const expected = completed.reduce(
    (sum, { kind, amount_in, amount_out }) =>
      kind === 'deposit' ? add(sum, parseAmount(amount_out)) : subtract(sum, parseAmount(amount_in)),
    parseAmount('0'),
  )
  const held = await balance(story)
  return parseAmount(held) === expected ? null : `it holds ${held}, not ${formatAmount(expected)}`
}

export type ClusteredBusiness = Awaited<ReturnType<typeof startClusteredBusiness>>

/** The onboarding story on a platform in a cluster, and the work that continues there while tests disturb it. */
export async function startClusteredBusiness({ cluster, variables, docker }: ClusteredStack) {
  const story = beginStory(variables)
  for (const step of STEPS) await step.run(story, () => undefined)
  const owner: Owner = { story, operator: story.operator }
  const anchorId = made(story.first.anchorId, 'anchor')
  const visitor = () => createClient({ baseUrl: variables.PLATFORM_URL ?? '', cookies: new CookieJar() })

  const openWallet = async (): Promise<Mover> => {
    const own = { ...story, wallet: Keypair.random() }
    await linkAndProveWallet.run(own, () => undefined)
    await openAccount(own)
    return { story: own, rounds: 0, settled: [] }
  }

  /** Deposits and withdrawals of one customer, all the time. */
  function moveMoney() {
    const movers: Mover[] = []
    const moving = repeat(async () => {
      let mover = movers.at(-1)
      if (!mover || mover.rounds >= ROUNDS_OF_A_WALLET) movers.push((mover = await openWallet()))
      await moveOnce(mover)
    })
    const moves = async () => {
      const before = moving.done()
      await expect.poll(moving.done, slowly).toBeGreaterThan(before + 1)
    }
    const isExact = async () => {
      await moving.stop()
      for (const mover of movers) await expect.poll(() => wrongWith(mover).catch(String), slowly).toBeNull()
      // Access ends after 15 minutes.
      await story.operator.call(refreshOperatorSession)
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
    // Where it is not, what is printed says why.
    const state = () =>
      readJob(jobId).then(
        ({ status, error }) => (status === 'completed' ? status : { status, error }),
        String,
      )
    await expect.poll(state, { ...slowly, timeout: 400_000 }).toBe('completed')
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
