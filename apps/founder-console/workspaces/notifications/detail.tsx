import type { Notification } from '@windlass/contracts/platform/notifications.ts'
import { byLanguage } from '@windlass/ui/catalogue.ts'

/** What a notification says, in the reader's language; in English where its sender said it in English alone. */
export function Detail({ detail, spanish }: Pick<Notification, 'detail' | 'spanish'>) {
  const own = byLanguage<string | undefined>(detail, spanish)
  return own === undefined ? <span lang="en">{detail}</span> : own
}
