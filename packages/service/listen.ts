import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'

/** What a channel told; `null` after a (re)connection: anything may have been missed, so catch up. */
export type Heard = { channel: string; payload: string } | null

/**
 * LISTEN on a connection of its own that comes back by itself. `hear` is called with every notification, and
 * with `null` after each connection.
 */
export function listen(
  url: string,
  channels: readonly string[],
  hear: (heard: Heard) => void,
  logger: FastifyBaseLogger,
): { stop(): Promise<void> } {
  let stopped = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | undefined

  const reconnect = (): void => {
    if (stopped) return
    clearTimeout(retry)
    retry = setTimeout(() => void connect(), 1_000)
  }
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url, application_name: 'listen', keepAlive: true })
    next.on('notification', ({ channel, payload }) => hear({ channel, payload: payload ?? '' }))
    next.on('error', error => logger.warn({ err: error }, 'listening connection lost'))
    next.on('end', reconnect)
    try {
      await next.connect()
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      client = next
      if (stopped) await next.end()
      else hear(null)
    } catch {
      next.removeListener('end', reconnect)
      await next.end().catch(() => undefined)
      reconnect()
    }
  }
  const connecting = connect()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(retry)
      await connecting
      await client?.end().catch(() => undefined)
    },
  }
}
