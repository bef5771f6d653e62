import { Account, Asset, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { listApplications } from '@windlass/contracts/platform/applications.ts'
import { requestCustomerCode } from '@windlass/contracts/platform/customers.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { getJobStatus } from '@windlass/contracts/platform/provisioning.ts'
import { routeTransaction } from '@windlass/contracts/aggregator/routing.ts'
import {
  listWorkspaceIncidents,
  resolveWorkspaceIncident,
} from '@windlass/contracts/platform/workspace-records.ts'
import { getWorkspaceSigning, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { createSealer, parseKeyring } from '@windlass/service/seals/seal.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { availableBalance, spendableXlm } from '@windlass/stellar/horizon-account.ts'
import { ledgerIn } from '@windlass/stellar/network.ts'
import { certificateOf } from '@windlass/testing/certificates.ts'
import { freePort } from '@windlass/testing/free-ports.ts'
import {
  alertNames,
  hasPrometheus,
  startShippedPrometheus,
  type Prometheus,
} from '@windlass/testing/prometheus.ts'
import {
  askAs,
  deposit,
  openDeposit,
  openWithdrawal,
  payWithdrawal,
  untilStatus,
  type Ask,
} from '@windlass/windlass/demo/money.ts'
import { signInOperator } from '@windlass/windlass/demo/operator.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made, type Story } from '@windlass/windlass/demo/story.ts'
import { homeAt } from '@windlass/windlass/home.ts'
import { anchorServers, leftServices } from '@windlass/windlass/leftovers.ts'
import { BACKUPS, SERVICES } from '@windlass/windlass/services.ts'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from 'node:tls'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundersOf } from './founders.ts'
import { startLoad } from './load.ts'
import { raiseWholeStack, type RaisedStack } from './raised-stack.ts'

const inFaults = process.env.MODE === 'faults'
if (inFaults && !hasPrometheus)
  console.warn('prometheus is not installed (Debian: prometheus): no fault of a stack fires its alert')

/** Its servers never sleep; those of all other anchors do. */
const AWAKE = 'lotus'
const DAY = 86_400_000
/** Stroops: too few XLM for an anchor, and enough for fees. */
const LEFT = parseAmount('5')
const patiently = { timeout: 240_000, interval: 500 }

let stack: RaisedStack
let prometheus: Prometheus
let story: Story
/** Asks the first anchor as the wallet. */
let ask: Ask
let founders: ReturnType<typeof foundersOf>
/** Where TLS would end in front of the stack. */
let tls: Server
let networkAdmin: string

/** Runs once the alert has fired, the last one first. */
type After = (undo: () => unknown) => void

interface Fault {
  title: string
  alerts: readonly string[]
  cause(after: After): Promise<unknown>
}

const anchorId = () => made(story.first.anchorId, 'anchor')
const superuserOf = (database: string) => {
  const { POSTGRES_PORT, POSTGRES_PASSWORD = '' } = stack.variables
  return databaseUrl(`postgres://127.0.0.1:${POSTGRES_PORT}`, database, 'postgres', POSTGRES_PASSWORD)
}

async function query<T extends pg.QueryResultRow>(
  database: string,
  text: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client(superuserOf(database))
  await client.connect()
  try {
    return (await client.query<T>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Someone locks a table and leaves. */
async function lock(after: After, database: string, table: string, mode: string): Promise<void> {
  const client = new pg.Client(superuserOf(database))
  await client.connect()
  after(() => client.end())
  await client.query(`begin; lock table ${table} in ${mode} mode`)
}

/** The databases end every connection and accept none. */
async function closeDatabases(after: After, ...names: string[]): Promise<void> {
  for (const name of names) {
    await query('postgres', `alter database ${name} with allow_connections false`)
    after(() => query('postgres', `alter database ${name} with allow_connections true`))
  }
  await query('postgres', 'select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1)', [
    names,
  ])
}

async function pidsOf(...names: string[]): Promise<number[]> {
  const home = homeAt(stack.home)
  const running = [...(await leftServices(home)), ...(await anchorServers(home))]
  return names.map(name => made(running.find(each => each.name === name)?.pid, name))
}

/** The processes hang: they exist, keep their sockets and do nothing. */
async function freeze(after: After, ...names: string[]): Promise<void> {
  for (const pid of await pidsOf(...names)) {
    process.kill(pid, 'SIGSTOP')
    after(() => process.kill(pid, 'SIGCONT'))
  }
}

const serverOf = (role: 'sep' | 'business') => `${anchorId()}-${role}`

/** Does something again and again, by so many at a time. */
function repeat(after: After, atOnce: number, act: () => Promise<unknown>): void {
  let isOver = false
  const workers = Array.from({ length: atOnce }, async () => {
    while (!isOver) {
      await act().catch(() => undefined)
      await sleep(20)
    }
  })
  after(() => {
    isOver = true
    return Promise.all(workers)
  })
}

const payOverRail = (id: string) => ask('POST', `/sandbox/transactions/${id}/payment`, {})

/** A founder redeems an invitation; resolves once the control plane has the job. */
async function redeem(token: string): Promise<string> {
  const subdomain = `late-${randomBytes(4).toString('hex')}`
  const body = { token, subdomain, fullName: 'Late Founder', password: randomBytes(12).toString('hex') }
  const { jobId } = await story.visitor.call(redeemInvitation, { body })
  const accepted = () => query('windlass_control_plane', 'select 1 from jobs where id::text = $1', [jobId])
  await expect.poll(async () => (await accepted()).length, { ...patiently, interval: 50 }).toBe(1)
  return jobId
}

const untilProvisioned = (jobId: string) =>
  expect
    .poll(async () => (await story.visitor.call(getJobStatus, { params: { jobId } })).status, patiently)
    .toBe('completed')

/** The keys of the anchor's accounts, as someone has them who holds SIGNER_KEY and a copy of the signer's database. */
async function keyOf(role: 'issuer' | 'distribution'): Promise<Keypair> {
  const sealer = createSealer(parseKeyring(stack.variables.SIGNER_KEY ?? ''))
  const [key] = await query<{ reference: string }>(
    'windlass_signer',
    'select reference from keys where anchor_id = $1 and role = $2',
    [anchorId(), role],
  )
  const reference = Buffer.from(made(key, 'key').reference, 'base64')
  return Keypair.fromSecret(sealer.open(reference, `${anchorId()}:${role}`))
}

/** The holder of a key sends units and XLM to another account. */
async function send(from: Keypair, to: Keypair, { units, xlm }: { units: string; xlm: string }) {
  const horizon = createHorizon(ledgerIn(stack.variables))
  const { issuer = '', assetCode = '' } = made(story.first.anchor, 'anchor')
  const { id, sequence } = made(await horizon.account(from.publicKey()), 'account')
  const destination = to.publicKey()
  const transaction = new TransactionBuilder(new Account(id, sequence), {
    fee: '100000',
    networkPassphrase: stack.variables.NETWORK_PASSPHRASE ?? '',
  })
    .addOperation(Operation.payment({ destination, asset: new Asset(assetCode, issuer), amount: units }))
    .addOperation(Operation.payment({ destination, asset: Asset.native(), amount: xlm }))
    .setTimeout(120)
    .build()
  transaction.sign(from)
  expect(await horizon.submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
}

/** The server reports both payments of {@link send} once it has signed one of its own; an operator resolves them. */
async function resolveIncidents(): Promise<void> {
  const params = { anchorId: anchorId() }
  const open = async () => {
    const incidents = await story.operator.call(listWorkspaceIncidents, { params })
    return incidents.filter(({ resolvedAt }) => resolvedAt === null)
  }
  await expect.poll(async () => (await open()).length, patiently).toBe(2)
  for (const { id } of await open()) {
    const body = { resolution: 'The test took the money.' }
    await story.operator.call(resolveWorkspaceIncident, { params: { ...params, id }, body })
  }
}

const FAULTS: readonly Fault[] = [
  {
    // First: limits are set within fifteen minutes of signing in.
    title: 'a server asks for more than its limits',
    alerts: ['WindlassSignaturesRefused'],
    async cause(after) {
      const id = await openDeposit(story, '10')
      const params = { anchorId: anchorId() }
      const { limits } = await story.operator.call(getWorkspaceSigning, { params })
      const set = (body: typeof limits) => story.operator.call(setWorkspaceSigningLimits, { params, body })
      after(() => untilStatus(ask, id, 'completed'))
      after(() => set(limits))
      await set({ ...limits, perPayment: '1' })
      await payOverRail(id)
    },
  },
  {
    title: 'the ledger stops while a customer pays and a founder begins',
    alerts: [
      'WindlassLedgerSilent',
      'WindlassObserverBehind',
      'WindlassPaymentsStuck',
      'WindlassProvisioningFailed',
    ],
    async cause(after) {
      const id = await openDeposit(story, '10')
      const token = await founders.invite()
      let jobId: string | undefined
      after(async () => {
        await untilStatus(ask, id, 'completed')
        if (jobId) await untilProvisioned(jobId)
      })
      await freeze(after, 'local-network')
      await payOverRail(id)
      jobId = await redeem(token)
    },
  },
  {
    title: 'the mail catcher hangs while an email waits for it',
    alerts: ['WindlassPartDown', 'WindlassOutboxStuck'],
    async cause(after) {
      await freeze(after, 'mail-catcher')
      await founders.invite()
    },
  },
  {
    title: 'the servers of an anchor hang, and nothing restarts them',
    alerts: ['WindlassAnchorServerDown', 'WindlassAnchorsUnavailable'],
    cause: after => freeze(after, 'control-plane', serverOf('sep'), serverOf('business')),
  },
  {
    title: 'the SEP server of an anchor hangs while a wallet pays',
    alerts: ['WindlassSepCallsStuck'],
    async cause(after) {
      const payable = await openWithdrawal(story, ask, '5')
      after(() => untilStatus(ask, payable.id, 'completed'))
      await freeze(after, 'control-plane', serverOf('sep'))
      await payWithdrawal(story, payable)
    },
  },
  {
    title: 'the aggregator has neither its database nor answers of an anchor',
    alerts: ['WindlassDatabaseDown', 'WindlassHealthChecksLate'],
    async cause(after) {
      await freeze(after, 'control-plane', serverOf('business'))
      await closeDatabases(after, 'windlass_aggregator')
    },
  },
  {
    title: 'the platform has no database while people ask',
    alerts: ['WindlassErrors', 'WindlassProxyErrors', 'WindlassMetricsUnreadable'],
    async cause(after) {
      await closeDatabases(after, 'windlass_platform')
      const path = getJobStatus.path.replace(':jobId', made(story.first.jobId, 'job'))
      const urls = [`${stack.variables.PLATFORM_URL}${path}`, `http://api.localhost${path}`]
      const load = startLoad(urls, { port: stack.variables.PROXY_PORT ?? '' })
      after(() => load.stop())
    },
  },
  {
    title: 'a table stays locked that people read',
    alerts: ['WindlassDatabasePoolExhausted', 'WindlassSlowRequests'],
    async cause(after) {
      // Time and again: a statement may wait 30 s, in which no request ends, and a minute of the rules is three seconds here.
      repeat(after, 1, async () => {
        const undoes: (() => unknown)[] = []
        await lock(undo => undoes.push(undo), 'windlass_platform', 'applications', 'access exclusive')
        await sleep(5_000)
        for (const undo of undoes) await undo()
      })
      repeat(after, 30, () => story.administrator.call(listApplications))
    },
  },
  {
    title: 'a table stays locked in which the control plane records a job',
    alerts: ['WindlassProvisioningStuck'],
    async cause(after) {
      const token = await founders.invite()
      const jobId = await redeem(token)
      after(() => untilProvisioned(jobId))
      await lock(after, 'windlass_control_plane', 'jobs', 'exclusive')
    },
  },
  {
    title: 'the table of a simulated bank stays locked while a customer withdraws',
    alerts: ['WindlassRailOrdersStuck'],
    async cause(after) {
      const payable = await openWithdrawal(story, ask, '5')
      after(() => untilStatus(ask, payable.id, 'completed'))
      await lock(after, `anchor_${anchorId()}`, 'business.simulated_rail_payments', 'exclusive')
      await payWithdrawal(story, payable)
    },
  },
  {
    title: 'Horizon limits requests',
    alerts: ['WindlassHorizonLimited'],
    async cause(after) {
      const faults = (init: RequestInit) => fetch(`${networkAdmin}/faults`, init)
      after(() => faults({ method: 'DELETE' }))
      const { ok } = await faults({
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ instances: { main: { rateLimit: { requests: 1, seconds: 20 } } } }),
      })
      expect(ok).toBe(true)
    },
  },
  {
    title: 'someone with the key of an anchor’s account empties it while a customer pays',
    alerts: ['WindlassTreasuryShort', 'WindlassTreasuryLow', 'WindlassXlmLow'],
    async cause(after) {
      const id = await openDeposit(story, '10')
      const [issuer, distribution] = [await keyOf('issuer'), await keyOf('distribution')]
      const horizon = createHorizon(ledgerIn(stack.variables))
      const account = made(await horizon.account(distribution.publicKey()), 'account')
      const { assetCode = '' } = made(story.first.anchor, 'anchor')
      const taken = {
        units: formatAmount(availableBalance(account, `${assetCode}:${issuer.publicKey()}`)),
        xlm: formatAmount(amountOf(spendableXlm(account, (await horizon.head()).baseReserve) - LEFT)),
      }
      await send(distribution, issuer, taken)
      after(async () => {
        await send(issuer, distribution, taken)
        await untilStatus(ask, id, 'completed')
        await resolveIncidents()
      })
      await payOverRail(id)
    },
  },
  {
    title: 'someone with the key of an anchor’s account pays, and so does the anchor',
    alerts: ['WindlassLedgerIncident'],
    async cause(after) {
      // A server compares the account's history with its records before it signs the next payment.
      const id = await openDeposit(story, '10')
      const taken = { units: '5', xlm: '1' }
      const [issuer, distribution] = [await keyOf('issuer'), await keyOf('distribution')]
      await send(distribution, issuer, taken)
      after(async () => {
        await send(issuer, distribution, taken)
        await resolveIncidents()
      })
      await payOverRail(id)
      await untilStatus(ask, id, 'completed')
    },
  },
  {
    title: 'someone changes the signature of the audit log',
    alerts: ['WindlassAuditUnsigned'],
    async cause(after) {
      const swap = (mac: string) =>
        query('windlass_platform', 'update audit_signature set mac = $1::bytea', [mac])
      const signed = () =>
        query<{ mac: string }>('windlass_platform', 'select mac::text from audit_signature')
      await expect.poll(async () => (await signed()).length, patiently).toBe(1)
      const [{ mac } = { mac: '' }] = await signed()
      after(() => swap(mac))
      await swap(`\\x${'00'.repeat(32)}`)
      await founders.invite()
    },
  },
  {
    title: 'a part is busy for more than a second at a time',
    alerts: ['WindlassEventLoopBlocked'],
    async cause(after) {
      const [pid = 0] = await pidsOf('founder-console')
      repeat(after, 1, async () => {
        process.kill(pid, 'SIGSTOP')
        await sleep(1_600)
        process.kill(pid, 'SIGCONT')
        // Long enough for Prometheus to be answered.
        await sleep(300)
      })
    },
  },
  {
    title: 'wallets ask for an asset that nobody has',
    alerts: ['WindlassNoEligibleAnchor'],
    async cause(after) {
      const body = { amount: '100', asset: 'NOBODY', rail: 'UPI' }
      repeat(after, 1, () => story.aggregator.call(routeTransaction, { body }))
    },
  },
  {
    title: 'someone asks for sign-in codes without end',
    alerts: ['WindlassCodesLimited'],
    async cause(after) {
      const body = { email: `many-${randomBytes(4).toString('hex')}@example.com` }
      repeat(after, 8, () => story.visitor.call(requestCustomerCode, { body }))
    },
  },
  {
    title: 'strangers ask for an anchor that sleeps while too many are awake',
    alerts: ['WindlassWakesRefused'],
    async cause(after) {
      const asleep = () =>
        query('windlass_control_plane', 'select 1 from anchors where id = $1 and asleep_since is not null', [
          story.second.anchorId,
        ])
      await expect.poll(async () => (await asleep()).length, patiently).toBe(1)
      const { homeDomain } = made(story.second.anchor, 'anchor')
      repeat(after, 4, () => story.anchors.request(`http://${homeDomain}/sep24/info`))
    },
  },
  {
    // The stack was started behind it: its rule waits longest.
    title: 'the certificate in front of the stack expires within a week',
    alerts: ['WindlassCertificateExpiring'],
    async cause(after) {
      after(async () => {
        tls.setSecureContext(await certificateOf('localhost', new Date(Date.now() + 80 * DAY)))
        await stack.restart(['reverse-proxy'], () => undefined)
      })
    },
  },
]

/** Alerts that no fault of a stack fires here, and why. */
const NOT_CAUSED: Readonly<Record<string, string>> = {
  WindlassRestarts: 'takes 15 minutes: packages/testing/observability.test.ts',
  WindlassBackupFailing:
    'needs 15 minutes of failures: apps/windlass/backups/keeper.test.ts reads what it asks for',
  WindlassBackupOld: 'a day: packages/testing/observability.test.ts',
  WindlassBackupLogBehind:
    'needs 15 minutes of failures: apps/windlass/backups/keeper.test.ts reads what it asks for',
  WindlassBackupUnverified: 'ten days: packages/testing/observability.test.ts',
  WindlassDiskFilling: 'six hours: packages/testing/observability.test.ts',
  WindlassDiskFull: 'fills a disk: packages/testing/observability.test.ts',
  WindlassClocksDiffer: 'needs two clocks: apps/signer/signing/clocks.test.ts',
  WindlassMessageRefused: 'needs a receiver that refuses: packages/service/work/outbox.test.ts has one',
  WindlassStandbyLost: 'a stack has one Postgres: e2e/postgres-failover.test.ts loses a standby',
  WindlassSanctionsListOld:
    'seven days: apps/business-server/people/compliance/fetch-lists.test.ts lets a list grow old',
  WindlassScreeningWithoutList:
    'needs the public network: apps/business-server/people/compliance/without-lists.test.ts has no list there',
  WindlassSafeguardingShortfall:
    'money leaves by a decision of two people: apps/business-server/money/reserves/safeguarding.test.ts takes it out',
}

describe('alerts', () => {
  it('have a fault each that fires them, or a reason why none can', () => {
    const placed = [...FAULTS.flatMap(({ alerts }) => alerts), ...Object.keys(NOT_CAUSED)]
    expect(placed.toSorted()).toEqual(alertNames().toSorted())
  })
})

// npm run test:faults
describe.runIf(inFaults && hasPrometheus)('a real Prometheus beside a stack', () => {
  beforeAll(async () => {
    tls = createServer(await certificateOf('localhost', new Date(Date.now() + 7 * DAY)))
    tls.on('secureConnection', socket => socket.on('error', () => undefined))
    await once(tls.listen(0, '127.0.0.1'), 'listening')
    const adminPort = String(await freePort())
    networkAdmin = `http://127.0.0.1:${adminPort}`
    stack = await raiseWholeStack({
      CERTIFICATES_AT: `127.0.0.1:${(tls.address() as AddressInfo).port}`,
      LOCAL_NETWORK_ADMIN_PORT: adminPort,
      ANCHORS_ALWAYS_ON: AWAKE,
      ANCHORS_AWAKE: '1',
      ANCHOR_SLEEP_AFTER_SECONDS: '20',
      ANCHOR_SLEEP_GRACE_SECONDS: '1',
    })
    prometheus = await startShippedPrometheus(port => {
      const variables = [...SERVICES, BACKUPS].flatMap(({ ports }) => ports)
      const [name = ''] = made(
        variables.find(([, usual]) => usual === port),
        `part at ${port}`,
      )
      return stack.variables[name] ?? ''
    })
    story = beginStory(stack.variables)
    story.first.subdomain = AWAKE
    founders = foundersOf(stack.variables)
    for (const step of STEPS.slice(0, STEPS.indexOf(deposit) + 1)) await step.run(story, () => undefined)
    await signInOperator.run(story, () => undefined)
    ask = await askAs(story)
  }, 400_000)

  afterAll(async () => {
    await prometheus?.stop()
    await story?.anchors.close()
    await stack?.remove()
    tls?.close()
  })

  const firing = (names: readonly string[]) => async () => {
    const all = await prometheus.firing()
    return names.filter(name => all.includes(name))
  }

  it('scrapes every part and both servers of the anchor that is awake', async () => {
    const parts = async () => {
      const up = await prometheus.up()
      const ours = up.filter(({ job, anchor_id }) => job === 'windlass' || anchor_id === anchorId())
      return ours.map(({ part }) => part).toSorted()
    }
    const expected = [
      ...[...SERVICES, BACKUPS].map(({ name }) => name).filter(name => name !== 'local-network'),
      'sep-server',
      'business-server',
    ]
    await expect.poll(parts, patiently).toEqual(expected.toSorted())
  }, 300_000)

  it.each(FAULTS)(
    'fires its alerts while $title, and not after',
    async ({ alerts, cause }) => {
      // The certificate is there from the start.
      const certificate = alerts.includes('WindlassCertificateExpiring')
      if (!certificate) await expect.poll(firing(alerts), patiently).toEqual([])
      const undoes: (() => unknown)[] = []
      try {
        await cause(undo => undoes.push(undo))
        await expect.poll(firing(alerts), patiently).toEqual(alerts)
      } finally {
        for (const undo of undoes.toReversed()) await undo()
      }
      await expect.poll(firing(alerts), patiently).toEqual([])
    },
    700_000,
  )
})
