import type { GetEventsOptions } from 'dockerode'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { LABELS } from './container.ts'
import { connectEngine } from './engine.ts'

const AGAIN_AFTER_MS = 2_000

const ENDS: GetEventsOptions = {
  filters: { type: ['container'], event: ['die', 'oom', 'health_status'], label: [LABELS.anchor] },
}

interface EngineEvent {
  Actor?: { Attributes?: Record<string, string> }
}

/** Name of a service: the engine does not send its labels. */
const NAME = /^windlass-([a-z0-9]+)-(?:sep|business)/

/**
 * Listens to the engine's events of our containers (Docker Engine API, "Monitor events"): one died, ran out of memory
 * or became unhealthy. Reconnects when the engine goes away; events in between are lost.
 */
export function watchEnds(
  address: string,
  ended: (anchorId: string) => void,
  events: GetEventsOptions = ENDS,
): { stop(): void } {
  // There may be no event for days.
  const engine = connectEngine(address, null)
  const stopping = new AbortController()

  const listen = async (): Promise<void> => {
    const stream = Readable.from(await engine.getEvents(events))
    stopping.signal.addEventListener('abort', () => stream.destroy(), { once: true })
    for await (const line of createInterface({ input: stream })) {
      const anchorId = anchorOf(line)
      if (anchorId) ended(anchorId)
    }
  }
  const again = (): void => {
    if (stopping.signal.aborted) return
    listen()
      .catch(() => undefined)
      .finally(() => setTimeout(again, AGAIN_AFTER_MS).unref())
  }
  again()
  return { stop: () => stopping.abort() }
}

function anchorOf(line: string): string | undefined {
  try {
    const attributes = (JSON.parse(line) as EngineEvent).Actor?.Attributes ?? {}
    return attributes[LABELS.anchor] ?? NAME.exec(attributes.name ?? '')?.[1]
  } catch {
    return undefined
  }
}
