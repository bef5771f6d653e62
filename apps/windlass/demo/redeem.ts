import { ProblemError } from '@windlass/client/client.ts'
import { redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { expect, type Founder, made, type Step, type Story } from './story.ts'

async function redeem(story: Story, founder: Founder) {
  const { subdomain, fullName, password } = founder
  const token = made(founder.approval, 'approval').rawToken
  return story.visitor.call(redeemInvitation, { body: { token, subdomain, fullName, password } })
}

export const redeemInvitations: Step = {
  title: 'Founders redeem their invitations',
  run: async story => {
    for (const founder of [story.first, story.second]) {
      const { jobId, anchorId } = await redeem(story, founder)
      Object.assign(founder, { jobId, anchorId })
    }
    return `→ jobId ${story.first.jobId}; user, organization, anchor draft and job`
  },
}

export const redeemTwice: Step = {
  title: 'Invitation token works once',
  run: async story => {
    const problem = await redeem(story, story.first).catch((error: unknown) => error)
    expect(problem instanceof ProblemError, 'the same token was accepted twice')
    expect(problem.status === 410, `a used token is answered with ${problem.status}, not 410`)
    return `again → 410 ${problem.problem.code}`
  },
}
