import { adminLogin, adminLoginAlias } from '@windlass/contracts/platform/administrators.ts'
import {
  approveApplication,
  approveApplicationAlias,
  listApplications,
  rejectApplication,
} from '@windlass/contracts/platform/applications.ts'
import { expect, made, type Step } from './story.ts'

export const logInAsAdministrator: Step = {
  title: 'Administrator signs in',
  run: async ({ variables, administrator, otherAdministrator }) => {
    const { ADMIN_USERNAME = '', ADMIN_PASSWORD = '' } = variables
    await administrator.call(adminLogin, { body: { username: ADMIN_USERNAME, password: ADMIN_PASSWORD } })
    await otherAdministrator.call(adminLoginAlias, {
      body: { email: ADMIN_USERNAME, password: ADMIN_PASSWORD },
    })
    return 'POST /admin/login and POST /auth/login → ns_admin'
  },
}

export const seeApplications: Step = {
  title: 'Lists applications',
  run: async ({ administrator, first, second, refused }) => {
    const applications = await administrator.call(listApplications)
    const positions = [refused, second, first].map(({ applicationId }) =>
      applications.findIndex(({ id }) => id === applicationId),
    )
    const found = positions.every(position => position >= 0)
    expect(
      found && positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0)),
      'the three applications are not listed newest first',
    )
    return `GET /admin/applications → ${applications.length} listed, newest first`
  },
}

export const approveTwo: Step = {
  title: 'Approves two',
  run: async ({ administrator, otherAdministrator, first, second }) => {
    const id = (founder: typeof first) => ({ id: made(founder.applicationId, 'application') })
    first.approval = await administrator.call(approveApplication, { params: id(first) })
    second.approval = await otherAdministrator.call(approveApplicationAlias, { params: id(second) })
    const tokens = [first.approval.rawToken, second.approval.rawToken]
    expect(
      tokens.every(token => token.length >= 40) && tokens[0] !== tokens[1],
      'the invitation tokens are wrong',
    )
    return 'POST /admin/applications/:id/approve and POST /applications/:id/approve → rawToken'
  },
}

export const rejectOne: Step = {
  title: 'Rejects the third',
  run: async ({ administrator, refused }) => {
    const { status } = await administrator.call(rejectApplication, {
      params: { id: made(refused.applicationId, 'application') },
      body: { reason: 'The business could not be verified.' },
    })
    expect(status === 'rejected', `the status is ${status}, not rejected`)
    return 'rejected, with a reason'
  },
}
