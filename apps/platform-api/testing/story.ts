import { ProblemError } from '@windlass/client/client.ts'
import { approveApplication, submitApplication } from '@windlass/contracts/platform/applications.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { type TestApp, signInAdmin } from './app.ts'

export const companyProfile = { name: 'Mumbai Pay', businessEmail: 'founder@mumbai.example' }

/** An application as the specification's smallest body makes it. */
export async function submitted(app: TestApp, profile: object = companyProfile): Promise<string> {
  const body = {
    companyProfile: { ...companyProfile, ...profile },
    stellarConfig: {},
    paymentRails: {},
    compliance: {},
  }
  return (await app.client().call(submitApplication, { body })).id
}

/** An approved application and the token of its invitation. */
export async function invited(app: TestApp, profile?: object) {
  const id = await submitted(app, profile)
  const admin = await signInAdmin(app)
  return admin.call(approveApplication, { params: { id } })
}

export const redemption = { subdomain: 'mumbai', fullName: 'Asha Rao', password: 'correct horse' }

/** An anchor that has been drafted and its job. */
export async function redeemed(app: TestApp, subdomain: string, profile?: object) {
  const { rawToken } = await invited(app, profile)
  return app.client().call(redeemInvitation, { body: { ...redemption, token: rawToken, subdomain } })
}

/** The problem that a call was answered with. Throws where it was not refused. */
export async function refusal(answer: Promise<unknown>): Promise<ProblemError> {
  try {
    await answer
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
  throw new Error('it was not refused')
}

/** The log without what was asked before each outcome. */
export const outcomesOf = <Entry extends { action: string }>(audit: readonly Entry[]): Entry[] =>
  audit.filter(({ action }) => !action.endsWith('.asked'))
