import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { OURSELVES, type Budget } from './budget.ts'
import type { Network } from './network.ts'

export interface StreamEvent {
  /** The record's paging token. */
  id: string
  data: string
  /** It was too large, and its data is the beginning. */
  isCut: boolean
}

interface EventStream {
  /** Whether it is connected: what happened before is known, and what happens next arrives. */
  readonly live: boolean
  /** Milliseconds since it was connected; 0 while it is. */
  readonly lostForMs: number
  /** Starts again from the present, as after a reset of the network. */
  restart(): void
  stop(): Promise<void>
}

interface StreamOptions {
  /** Without the cursor. */
  url: string
  onEvent(event: StreamEvent): void
  /** Events may have been missed. */
  onGap(): void
  network: Network
  budget: Budget
  logger: FastifyBaseLogger
  /** Milliseconds of silence after which it starts again from the present. */
  silentMs: number
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** Horizon ends a stream after as many events, and by default after ten; more it does not allow. */
const EVENTS = 200
/** Characters of one event: the call of a contract may have 176 KB of parameters, and then accounts that it changed. */
const MAX_EVENT = 1_048_576

/**
 * Follows one of Horizon's event streams. It comes back by itself from the last event, so that nothing is missed,
 * after growing pauses where Horizon refuses or does not answer, and after what `Retry-After` asks.
 */
export function followStream(options: StreamOptions): EventStream {
  const stopping = new AbortController()
  let [cursor, live, failures] = ['now', false, 0]
  let restarting = new AbortController()
  let lostAt = -Infinity

  const read = async (): Promise<void> => {
    const restart = (restarting = new AbortController())
    const watchdog = setTimeout(() => restart.abort(), options.silentMs)
    try {
      const response = await fetch(`${options.url}?limit=${EVENTS}&cursor=${cursor}`, {
        headers: { accept: 'text/event-stream' },
        signal: AbortSignal.any([stopping.signal, restart.signal]),
      })
      options.budget.note(response.status, response.headers, OURSELVES)
      if (!response.ok || !response.body) throw new Error(`Horizon answered ${response.status}`)
      await options.network.require('person').catch(async (error: unknown) => {
        await response.body?.cancel()
        throw error
      })
      ;[live, failures] = [true, 0]
      if (cursor === 'now') options.onGap()
      for await (const event of eventsOf(response.body)) {
        watchdog.refresh()
        if (event.id === '') continue
        cursor = event.id
        options.onEvent(event)
      }
    } finally {
      if (live) lostAt = performance.now()
      live = false
      clearTimeout(watchdog)
      if (restart.signal.aborted) cursor = 'now'
    }
  }
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Horizon ends streams after a minute or so: that is no failure.
      await read().catch(error => {
        if (stopping.signal.aborted || restarting.signal.aborted) return
        failures++
        options.logger.warn({ err: error, url: options.url, failures }, 'a ledger stream was lost')
      })
      const growing = failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
      const pause = Math.max(growing, options.budget.wait('person', OURSELVES))
      await sleep(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  const following = follow()
  return {
    get live() {
      return live
    },
    get lostForMs() {
      return live ? 0 : performance.now() - lostAt
    },
    restart: () => restarting.abort(),
    stop: async () => {
      stopping.abort()
      await following
    },
  }
}

/**
 * Parses `text/event-stream` (WHATWG HTML, section 9.2). Events without an id have the id ''. Of an event that is too large
 * only the beginning is kept, in which Horizon names its id.
 */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  let isCut = false
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split(/\r?\n\r?\n/)
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      yield parseEvent(block, isCut || block.length > MAX_EVENT)
      isCut = false
    }
    if (text.length <= MAX_EVENT) continue
    // The end of an event may begin with what is dropped's last characters.
    text = text.slice(0, MAX_EVENT / 2) + text.slice(-3)
    isCut = true
  }
}

function parseEvent(block: string, isCut: boolean): StreamEvent {
  const lines = block.slice(0, MAX_EVENT).split(/\r?\n/)
  const valueOf = (field: string) =>
    lines.filter(line => line.startsWith(`${field}:`)).map(line => line.slice(field.length + 1).trimStart())
  return { id: valueOf('id').at(-1) ?? '', data: valueOf('data').join('\n'), isCut }
}
