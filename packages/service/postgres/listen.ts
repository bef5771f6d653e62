import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'

/** A channel's notification; `null` after a (re)connection: some may have been missed, so catch up. */
export type Heard = { channel: string; payload: string } | null

const PULSE_MS = 15_000
const PULSE_WITHIN_MS = 5_000

/**
 * LISTEN on a connection of its own that reconnects by itself, also after the network dropped it silently. `hear`
 * is called with every notification, and with `null` after each connection.
 */
export function listen(
  url: string,
  channels: readonly string[],
  hear: (received: Heard) => void,
  logger: FastifyBaseLogger,
): { stop(): Promise<void> } {
  let stopped = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | undefined
  let pulse: NodeJS.Timeout | undefined

  const reconnect = (): void => {
    clearInterval(pulse)
    if (stopped) return
    clearTimeout(retry)
    retry = setTimeout(() => void connect(), 1_000)
  }
  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'listen',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: PULSE_WITHIN_MS,
    })
    next.on('notification', ({ channel, payload }) => hear({ channel, payload: payload ?? '' }))
    next.on('error', error => logger.warn({ err: error }, 'listening connection lost'))
    next.on('end', reconnect)
    try {
      await next.connect()
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      client = next
      if (stopped) return await next.end()
      clearInterval(pulse)
      pulse = setInterval(() => void next.query('select 1').catch(() => drop(next)), PULSE_MS)
      hear(null)
    } catch {
      next.removeListener('end', reconnect)
      drop(next)
      reconnect()
    }
  }
  const connecting = connect()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(retry)
      clearInterval(pulse)
      await connecting
      await client?.end().catch(() => undefined)
    },
  }
}

/** Without the closing handshake, which would wait for a dead peer; the 'end' event follows. */
function drop(client: pg.Client): void {
  client.connection.stream.destroy()
}
