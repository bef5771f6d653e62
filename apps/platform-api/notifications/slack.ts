import type { NotificationKind } from '@windlass/contracts/platform/notifications.ts'
import type { Phase } from './changes.ts'
import { titleOf } from './emails.ts'

interface SlackNotification {
  homeDomain: string
  kind: NotificationKind
  phase: Phase
  detail: string
  link: string
}

/** A message in the form of Slack's incoming webhooks, which Mattermost, Rocket.Chat and Discord (`/slack`) take too. */
export function slackMessage({ homeDomain, kind, phase, detail, link }: SlackNotification): { text: string } {
  const title = `*${escaped(homeDomain)}: ${escaped(titleOf(kind, phase))}*`
  return { text: [title, escaped(detail), `<${link}|Open the console>`].join('\n') }
}

export const slackTest = (homeDomain: string): { text: string } => ({
  text: `A test of the notifications of ${escaped(homeDomain)}.`,
})

/** What customers and banks wrote must not become a link or a mention of everyone. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
