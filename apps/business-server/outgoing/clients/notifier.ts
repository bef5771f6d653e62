import { type NotificationReport, reportNotifications } from '@windlass/contracts/platform/notifications.ts'
import { createPlatform } from './platform.ts'

/** Sends the platform what the anchor's operators are to be notified of. */
export interface Notifier {
  report(report: NotificationReport): Promise<void>
}

const TIMEOUT_MS = 10_000

export function createNotifier(platformUrl: string, serviceSecret: string): Notifier {
  const client = createPlatform(platformUrl, serviceSecret)
  return {
    report: async body => {
      await client.call(reportNotifications, { body, signal: AbortSignal.timeout(TIMEOUT_MS) })
    },
  }
}
