import { getOperatorProfile, requestOperatorCode, verifyOperatorCode } from '@windlass/contracts/operators.ts'
import { findInMail } from './mailbox.ts'
import { expect, type Step } from './story.ts'

export const signInOperator: Step = {
  title: 'The founder signs in',
  run: async story => {
    const { operator, first } = story
    await operator.call(requestOperatorCode, { body: { email: first.email } })
    const code = await findInMail(story, first.email, /^(\d{6})$/m)
    await operator.call(verifyOperatorCode, { body: { email: first.email, code } })
    const { user, organizations, projects } = await operator.call(getOperatorProfile)
    expect(user.fullName === first.fullName, `the operator is called ${user.fullName}`)
    const project = projects.find(({ anchorId }) => anchorId === first.anchorId)
    expect(project?.status === 'active', `the project is ${project?.status ?? 'missing'}, not active`)
    return `with the code from the mail → ${organizations[0]?.name}, project ${project.subdomain} ${project.status}`
  },
}
