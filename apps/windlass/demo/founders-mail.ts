import { findInMail } from './mailbox.ts'
import { expect, made, type Step } from './story.ts'

export const readMails: Step = {
  title: 'The founders get mail',
  run: async story => {
    const approval = made(story.first.approval, 'approval')
    const link = await findInMail(story, story.first.email, /https?:\/\/\S+\/redeem#token=\S+/)
    expect(link === approval.redeemUrl, `the mail's link is ${link}, not the one that was answered`)
    expect(link.endsWith(approval.rawToken), 'the link does not carry the token')
    await findInMail(story, story.refused.email, /could not be verified/)
    return `the redeem link and the refusal lie in the catcher, ${story.variables.MAIL_CATCHER_URL}`
  },
}
