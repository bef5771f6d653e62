import { CookieJar, createClient, type Client } from '@windlass/client/client.ts'
import { adminLogin } from '@windlass/contracts/platform/administrators.ts'
import { approveApplication, submitApplication } from '@windlass/contracts/platform/applications.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { getJobStatus, stageNames, type Job } from '@windlass/contracts/platform/provisioning.ts'
import { listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { freePort } from '@windlass/testing/free-ports.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { countOutside } from './effects.ts'
import { end, launch, untilListening, type Launched, type Fixture } from './fixture.ts'

type Part = 'platform-api' | 'aggregator' | 'secrets-store' | 'mail-catcher'

/** The platform's services as processes that tests may kill and restart. */
export interface WholePlatform {
  /** For control planes. */
  env: Record<string, string>
  /** Starts or restarts a part on the same port; resolves when it is ready. */
  start(part: Part, env?: Record<string, string>): Promise<{ ended: Promise<string> }>
  kill(part: Part): Promise<void>
  /** Returns the application's id. */
  apply(email: string, rails?: object): Promise<string>
  /** Returns the invitation token. */
  approve(application: string): Promise<string>
  /** Applies and approves; returns the invitation token. */
  invite(email: string, rails?: object): Promise<string>
  redeem(token: string, subdomain: string): Promise<{ jobId: string; anchorId: string }>
  /** Resolves with the completed job; throws when a stage went back or after a timeout. */
  untilCompleted(jobId: string, seconds?: number): Promise<Job>
  /** The number of emails delivered to an address, without the one that its application was received. */
  mailsTo(email: string): Promise<number>
  /** The number of emails that are not delivered yet. */
  unsentMails(): Promise<number>
  /** Everything that one anchor created. */
  effects(anchorId: string, email: string): Promise<object>
  client: Client
  database: pg.Pool
  stop(): Promise<void>
}

const CREDENTIALS = { username: 'admin@windlass.test', password: 'open-the-sluice-9' }
const key = () => randomBytes(32).toString('hex')

export async function startWholePlatform(fixture: Fixture): Promise<WholePlatform> {
  const names: Part[] = ['secrets-store', 'mail-catcher', 'aggregator', 'platform-api']
  const ports = Object.fromEntries(
    await Promise.all([...names, 'smtp'].map(async name => [name, await freePort()] as const)),
  )
  const databases = await Promise.all([testDatabase(), testDatabase(), testDatabase()])
  const at = (name: string) => `http://127.0.0.1:${ports[name]}`
  const keyring = () => `v1:${randomBytes(32).toString('base64')}`
  const shared = {
    ...fixture.env,
    PLATFORM_URL: at('platform-api'),
    AGGREGATOR_URL: at('aggregator'),
    SECRETS_ENDPOINT: at('secrets-store'),
    SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
    AWS_ACCESS_KEY_ID: 'windlass',
    AWS_SECRET_ACCESS_KEY: key(),
    AWS_REGION: 'local',
    PLATFORM_API_PORT: String(ports['platform-api']),
    AGGREGATOR_PORT: String(ports.aggregator),
    SECRETS_STORE_PORT: String(ports['secrets-store']),
    MAIL_CATCHER_PORT: String(ports['mail-catcher']),
    SMTP_PORT: String(ports.smtp),
    PLATFORM_DATABASE_URL: databases[0]?.url ?? '',
    AGGREGATOR_DATABASE_URL: databases[1]?.url ?? '',
    SECRETS_STORE_DATABASE_URL: databases[2]?.url ?? '',
    PLATFORM_KEY: keyring(),
    SECRETS_STORE_KEY: keyring(),
    OPERATOR_TOKEN_KEY: key(),
    CUSTOMER_TOKEN_KEY: key(),
    ADMIN_TOKEN_KEY: key(),
    OTP_KEY: key(),
    ADMIN_USERNAME: CREDENTIALS.username,
    ADMIN_PASSWORD: CREDENTIALS.password,
    ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
    FX_RATE_INR_USDC: '88.50',
  }
  const parts = new Map<Part, Launched>()
  const cookies = new CookieJar()
  const client = createClient({ baseUrl: at('platform-api'), cookies })
  const aggregator = createClient({ baseUrl: at('aggregator') })
  const database = new pg.Pool({ connectionString: shared.PLATFORM_DATABASE_URL, max: 2 })
  database.on('connect', connection => connection.on('error', () => undefined))

  const kill = async (part: Part): Promise<void> => {
    const running = parts.get(part)
    if (running) await end(running.child, 'SIGKILL')
  }
  const start = async (part: Part, extra: Record<string, string> = {}) => {
    await kill(part)
    const env = { ...shared, CONTROL_PLANE_URL: platform.env.CONTROL_PLANE_URL ?? at('nowhere'), ...extra }
    const launched = await launch(part, env, fixture.home)
    parts.set(part, launched)
    const ended = new Promise<string>(resolve =>
      launched.child.once('exit', (code, signal) => resolve(signal ?? String(code))),
    )
    await untilListening(`${at(part)}/health`, launched)
    return { ended }
  }
  const mailsTo = async (email: string): Promise<number> => {
    const answer = await fetch(`${at('mail-catcher')}/email`)
    const mails = (await answer.json()) as { subject: string; to: { address: string }[] }[]
    const decisive = mails.filter(({ subject }) => !subject.startsWith('We received'))
    return decisive.filter(({ to }) => to.some(({ address }) => address === email)).length
  }
  const apply = async (email: string, rails: object = {}): Promise<string> => {
    const companyProfile = { name: 'Mumbai Exchange', businessEmail: email }
    const body = { companyProfile, stellarConfig: {}, paymentRails: rails, compliance: {} }
    return (await client.call(submitApplication, { body })).id
  }
  const approve = async (id: string): Promise<string> => {
    if (cookies.values.size === 0) await client.call(adminLogin, { body: CREDENTIALS })
    return (await client.call(approveApplication, { params: { id } })).rawToken
  }
  const platform: WholePlatform = {
    env: shared,
    client,
    database,
    mailsTo,
    unsentMails: async () => {
      const { rows } = await database.query<{ count: string }>(
        `select count(*) from outbox where topic = 'mail' and delivered_at is null`,
      )
      return Number(rows[0]?.count)
    },
    kill,
    start,
    apply,
    approve,
    invite: async (email, rails) => approve(await apply(email, rails)),
    redeem: (token, subdomain) =>
      client.call(redeemInvitation, {
        body: { token, subdomain, fullName: 'Asha Rao', password: 'correct horse' },
      }),
    untilCompleted: async (jobId, seconds = 60) => {
      let seen = 0
      let job: Job | null = null
      for (const limit = performance.now() + seconds * 1_000; performance.now() < limit; await sleep(50)) {
        // A restarting platform does not answer.
        job = await client.call(getJobStatus, { params: { jobId } }).catch(() => null)
        if (!job) continue
        const stage = stageNames.indexOf(job.stage)
        if (stage < seen) throw new Error(`${job.stage} came after ${stageNames[seen]}`)
        seen = stage
        if (job.status === 'completed') return job
        if (job.status === 'failed') break
      }
      throw new Error(`the job was not completed: ${JSON.stringify(job, null, 1)}`)
    },
    effects: async (anchorId, email) => {
      const { anchors } = await aggregator.call(listAnchors)
      const { rows } = await database.query<{ status: string }>('select status from anchors where id = $1', [
        anchorId,
      ])
      return {
        ...(await countOutside(fixture, { anchorId })),
        registryRows: anchors.filter(({ id }) => id === anchorId).length,
        mails: await mailsTo(email),
        status: rows[0]?.status,
      }
    },
    stop: async () => {
      await Promise.all([...parts.keys()].map(kill))
      await database.end()
      await Promise.all(databases.map(({ drop }) => drop()))
    },
  }
  return platform
}

/** Everything that provisioning one anchor creates. */
export const oneWholeAnchor = {
  keys: 3,
  accounts: 3,
  trustlines: 1,
  issues: ['1000000.0000000'],
  databases: 1,
  roles: 3,
  servers: 2,
  registryRows: 1,
  // The invitation, and that the anchor is active.
  mails: 2,
  status: 'active',
}
