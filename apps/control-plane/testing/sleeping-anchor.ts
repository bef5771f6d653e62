import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { Keypair } from '@stellar/stellar-sdk'
import { request } from 'node:http'
import { expect } from 'vitest'
import { anchorProcesses, somePlan, startFixture, type ControlPlaneProcess, type Fixture } from './fixture.ts'

/** An anchor that a control plane lets sleep as soon as nobody uses it. */
export interface SleepingAnchor {
  fixture: Fixture
  plane: ControlPlaneProcess
  plan: AnchorPlan
  /** Ends the control plane as a power cut does; the next one has the same address. */
  restart(env?: Record<string, string>): Promise<void>
  /** The anchor's servers that run. */
  pids(): Promise<number[]>
  untilAsleep(): Promise<void>
  /** How often this control plane has woken it, also if it sleeps again by now. */
  wakes(): number
  /** A request to the anchor's public domain. */
  ask(path: string, from?: string, body?: string): Promise<Answer>
}

export interface Answer {
  status: number
  text: string
  headers: Record<string, unknown>
}

export const SLEEPY = { ANCHOR_SLEEP_AFTER_SECONDS: '1', ANCHOR_SLEEP_GRACE_SECONDS: '0' }
export const SOON = { timeout: 60_000, interval: 100 }
/** SEP-10. */
export const CHALLENGE = `/auth?account=${Keypair.random().publicKey()}`

export async function startSleepingAnchor(): Promise<SleepingAnchor> {
  const fixture = await startFixture()
  const plan = somePlan(fixture)
  const anchor: SleepingAnchor = {
    fixture,
    plan,
    plane: await fixture.startControlPlane(SLEEPY),
    restart: async (env = SLEEPY) => {
      const { port } = new URL(anchor.plane.url)
      await anchor.plane.kill()
      anchor.plane = await fixture.startControlPlane({ ...env, CONTROL_PLANE_PORT: port })
    },
    pids: async () => (await anchorProcesses(fixture.home)).map(({ pid }) => pid).sort(),
    untilAsleep: async () => {
      const isAsleep = 'select asleep_since is not null as asleep from anchors where id = $1'
      const asleep = async () => (await fixture.database.query(isAsleep, [plan.anchorId])).rows[0]?.asleep
      await expect.poll(asleep, SOON).toBe(true)
      await expect.poll(anchor.pids, SOON).toEqual([])
    },
    wakes: () => anchor.plane.logged().filter(({ msg }) => msg === 'an anchor is awake again').length,
    ask: (path, from = '127.0.0.1', body) => ask(fixture, plan.homeDomain, { path, from, body }),
  }
  await anchor.plane.provision(plan)
  return anchor
}

function ask(
  { env }: Fixture,
  host: string,
  { path, from, body }: { path: string; from: string; body: string | undefined },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(env.ANCHOR_INGRESS ?? '')
    const headers = { host, ...(body ? { 'content-type': 'application/json' } : {}) }
    const target = { hostname, port, path, headers, localAddress: from, method: body ? 'POST' : 'GET' }
    request(target, response => {
      void response.toArray().then(chunks => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers })
      })
    })
      .on('error', reject)
      .end(body)
  })
}

/** A row of an anchor that has no keys and no servers: it sleeps, and cannot be woken. */
export async function addSleepingRow({ database }: Fixture, id: string): Promise<void> {
  await database.query(
    `insert into anchors (id, plan, data_key, running, provisioned_at, slot, asleep_since, wake_at, last_summary, balances)
     select $1, plan, data_key, true, provisioned_at, slot, now(), now() + interval '1 day', '{"status": "ok"}', balances
     from anchors limit 1`,
    [id],
  )
}
