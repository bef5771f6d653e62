import { listRefusedMessages, retryRefusedMessage } from '@windlass/contracts/platform/refused-messages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { listRefused, retryRefused } from '@windlass/service/work/refused-messages.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'

/** Messages of the platform that their recipient refuses whenever they are sent. */
export function refusedMessageRoutes(on: On, { database: { db }, clock }: Deps): void {
  on(listRefusedMessages).serve(async () =>
    (await listRefused(db)).map(({ written_at, since, next_at, ...message }) => ({
      ...message,
      writtenAt: written_at.toISOString(),
      since: since.toISOString(),
      nextAt: next_at.toISOString(),
    })),
  )
  on(retryRefusedMessage).serve(async ({ params, principal }) => {
    await db.transaction().execute(async tx => {
      const message = await retryRefused(tx, params.id)
      if (!message) throw new Problem('not-found', 'No message with this id is refused.')
      const act = {
        actor: `admin:${principal.username}`,
        action: 'refused-message.retried',
        subject: `message:${params.id}`,
      }
      await record(tx, { ...act, details: { ...message } }, clock.now())
    })
    return { ok: true }
  })
}
