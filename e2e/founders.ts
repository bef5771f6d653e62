import { CookieJar, createClient, type Client } from '@windlass/client/client.ts'
import { adminLogin } from '@windlass/contracts/platform/administrators.ts'
import { approveApplication, submitApplication } from '@windlass/contracts/platform/applications.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { getJobStatus, type Job } from '@windlass/contracts/platform/provisioning.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Provisioned {
  anchorId: string
  job: Job
  /** Milliseconds from the redeem to the answer that says completed. */
  took: number
}

/** Founders of a stack: they apply and are approved before any clock runs. */
export function foundersOf(variables: Readonly<Record<string, string>>) {
  const at = (cookies?: CookieJar) => createClient({ baseUrl: variables.PLATFORM_URL ?? '', cookies })
  const visitor = at()
  const administrator = at(new CookieJar())
  const { ADMIN_USERNAME: username = '', ADMIN_PASSWORD: password = '' } = variables
  const loggedIn = administrator.call(adminLogin, { body: { username, password } })
  return {
    /** A single-use token. */
    invite: async (): Promise<string> => {
      await loggedIn
      const word = randomBytes(4).toString('hex')
      const { id } = await visitor.call(submitApplication, {
        body: {
          companyProfile: { name: `Bench ${word}`, businessEmail: `bench-${word}@example.com` },
          ...{ stellarConfig: {}, paymentRails: {}, compliance: {} },
        },
      })
      return (await administrator.call(approveApplication, { params: { id } })).rawToken
    },
    /** Milliseconds: how long it may take, and how often it is asked for. */
    redeem: (token: string, patience = 120_000, every = 50) => provision(visitor, token, { patience, every }),
  }
}

async function provision(
  visitor: Client,
  token: string,
  { patience, every }: { patience: number; every: number },
): Promise<Provisioned> {
  const began = performance.now()
  const subdomain = `bench-${randomBytes(6).toString('hex')}`
  const body = { token, subdomain, fullName: 'Bench Founder', password: randomBytes(12).toString('hex') }
  const { jobId, anchorId } = await visitor.call(redeemInvitation, { body })
  for (;;) {
    const job = await visitor.call(getJobStatus, { params: { jobId } })
    const took = performance.now() - began
    if (job.status === 'completed') return { anchorId, job, took }
    if (job.status === 'failed') throw new Error(`${subdomain}: ${job.error?.stage}: ${job.error?.code}`)
    if (took > patience) throw new Error(`${subdomain}: still at ${job.stage} after ${patience / 1_000} s`)
    await sleep(every)
  }
}

/** Milliseconds that each stage took, by its name. */
export function stageTimes({ stages }: Job): Map<string, number> {
  return new Map(
    stages.map(({ name, startedAt, finishedAt }) => [
      name,
      startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : 0,
    ]),
  )
}
