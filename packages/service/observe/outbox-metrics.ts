import { sql, type Kysely } from 'kysely'
import type { Registry } from 'prom-client'
import { kept, publishGauge } from './metrics.ts'

interface Waiting {
  topic: string
  /** `stranger`: for a wallet's or a developer's server, whose outages are not ours. */
  recipient: 'service' | 'stranger'
  messages: number
  /** Counts those that may still be taken; null: all are refused. */
  oldest: number | null
}

interface Refused {
  topic: string
  code: string
  messages: number
}

/**
 * Messages of the outbox that are not delivered yet, how long the oldest has waited, and which their recipient refuses.
 *
 * @param refusedBeside reads what is refused of what is not in the outbox.
 */
export function publishOutbox<T>(
  registry: Registry,
  db: Kysely<T>,
  refusedBeside: () => Promise<Refused[]> = async () => [],
): void {
  const read = kept(async () => {
    const { rows } = await sql<Waiting>`
      select topic, case when lane is null then 'service' else 'stranger' end as recipient,
        count(*)::int as messages,
        extract(epoch from clock_timestamp() - min(created_at) filter (where refused_at is null))::float8 as oldest
      from outbox where delivered_at is null group by 1, 2`.execute(db)
    return rows
  })
  const labels = ['topic', 'recipient']
  publishGauge(registry, {
    name: 'windlass_outbox_messages',
    help: 'Messages that are not delivered yet',
    labels,
    read: async () =>
      (await read()).map(({ topic, recipient, messages }) => ({
        labels: { topic, recipient },
        value: messages,
      })),
  })
  publishGauge(registry, {
    name: 'windlass_outbox_oldest_seconds',
    help: 'Time since the oldest message that is not delivered was written',
    labels,
    read: async () =>
      (await read()).map(({ topic, recipient, oldest }) => ({
        labels: { topic, recipient },
        value: oldest ?? 0,
      })),
  })
  publishRefused(registry, async () => {
    const { rows } = await sql<Refused>`
      select topic, refused_code as code, count(*)::int as messages
      from outbox where delivered_at is null and refused_at is not null group by 1, 2`.execute(db)
    return [...rows, ...(await refusedBeside())]
  })
}

/** Messages that their recipient refuses whenever they come. */
function publishRefused(registry: Registry, readFresh: () => Promise<Refused[]>): void {
  const read = kept(readFresh)
  publishGauge(registry, {
    name: 'windlass_refused_messages',
    help: 'Messages that their recipient refuses whenever they are sent',
    labels: ['topic', 'code'],
    read: async () =>
      (await read()).map(({ topic, code, messages }) => ({ labels: { topic, code }, value: messages })),
  })
}
