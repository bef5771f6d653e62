import { type KeyAct, reportKeyActs } from '@windlass/contracts/platform/api-keys.ts'
import { createPlatform } from './platform.ts'

/** Tells the platform what the anchor's API keys did, for its audit log. */
export interface KeyActReporter {
  report(acts: KeyAct[]): Promise<void>
}

const TIMEOUT_MS = 10_000

export function createKeyActReporter(platformUrl: string, serviceSecret: string): KeyActReporter {
  const client = createPlatform(platformUrl, serviceSecret)
  return {
    report: async acts => {
      await client.call(reportKeyActs, { body: { acts }, signal: AbortSignal.timeout(TIMEOUT_MS) })
    },
  }
}
