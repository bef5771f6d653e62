import { createClient } from '@windlass/client/client.ts'
import { type KeyAct, reportKeyActs } from '@windlass/contracts/platform/api-keys.ts'

/** Tells the platform what the anchor's API keys did, for its audit log. */
export interface KeyActReporter {
  report(acts: KeyAct[]): Promise<void>
}

const TIMEOUT_MS = 10_000

export function createKeyActReporter(platformUrl: string, serviceSecret: string): KeyActReporter {
  const client = createClient({ baseUrl: platformUrl, headers: { 'x-service-secret': serviceSecret } })
  return {
    report: async acts => {
      await client.call(reportKeyActs, { body: { acts }, signal: AbortSignal.timeout(TIMEOUT_MS) })
    },
  }
}
