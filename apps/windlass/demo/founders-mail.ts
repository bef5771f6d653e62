import { findInMail } from './mailbox.ts'
import { expect, made, type Step } from './story.ts'

export const readMails: Step = {
  title: 'Founders get email',
  run: async story => {
    const approval = made(story.first.approval, 'approval')
    const link = await findInMail(story, story.first.email, /https?:\/\/\S+\/redeem#token=\S+/)
    expect(link === approval.redeemUrl, `the email's link is ${link}, not the one in the response`)
    expect(link.endsWith(approval.rawToken), 'the link does not contain the token')
    await findInMail(story, story.refused.email, /could not be verified/)
    return `invitation and rejection are in the mail catcher, ${story.variables.MAIL_CATCHER_URL}`
  },
}
