import { CookieJar, createClient, type Client } from '@windlass/client/client.ts'
import { adminLogin } from '@windlass/contracts/platform/administrators.ts'
import { approveApplication, submitApplication } from '@windlass/contracts/platform/applications.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { streamJobStatus, type Job } from '@windlass/contracts/platform/provisioning.ts'
import { randomBytes } from 'node:crypto'

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
    /** `patience`: milliseconds that it may take. */
    redeem: (token: string, patience = 120_000) => provision(visitor, token, patience),
  }
}

async function provision(visitor: Client, token: string, patience: number): Promise<Provisioned> {
  const began = performance.now()
  const subdomain = `bench-${randomBytes(6).toString('hex')}`
  const body = { token, subdomain, fullName: 'Bench Founder', password: randomBytes(12).toString('hex') }
  const { jobId, anchorId } = await visitor.call(redeemInvitation, { body })
  const signal = AbortSignal.timeout(patience)
  for (;;) {
    for await (const job of followJob(visitor, jobId, signal)) {
      if (job.status === 'completed') return { anchorId, job, took: performance.now() - began }
      if (job.status === 'failed') throw new Error(`${subdomain}: ${job.error?.stage}: ${job.error?.code}`)
    }
  }
}

/** The job and each change of it, as a founder's page follows it, until the stream ends. */
async function* followJob(visitor: Client, jobId: string, signal: AbortSignal): AsyncGenerator<Job> {
  const { body } = await visitor.open(streamJobStatus, { params: { jobId }, signal })
  let unread = ''
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (unread + part).split('\n\n')
    unread = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data !== undefined) yield JSON.parse(data) as Job
    }
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
