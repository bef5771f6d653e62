import { createClient } from '@windlass/client/client.ts'
import { listSleepingAnchors } from '@windlass/contracts/internal/control-plane.ts'
import { PROBE_MS, readReport, type Report } from './probe.ts'

/** An anchor of our platform whose servers sleep, healthy when they fell asleep. */
export interface Sleeping extends Pick<Report, 'capacity' | 'further'> {
  id: string
  /** Where it is answered for. */
  apiUrl: string
}

/** Reads all that sleep from the control plane; null where there is none to ask. */
export function readSleeping(
  controlPlaneUrl: string | undefined,
  serviceSecret: string,
): (() => Promise<Sleeping[]>) | null {
  if (controlPlaneUrl === undefined) return null
  const client = createClient({ baseUrl: controlPlaneUrl, headers: { 'x-service-secret': serviceSecret } })
  return async () => {
    const anchors = await client.call(listSleepingAnchors, { signal: AbortSignal.timeout(PROBE_MS) })
    return anchors.flatMap(({ anchorId: id, apiUrl, ...summary }) => {
      const report = readReport(summary)
      if (!report) return []
      const { capacity, further } = report
      return [{ id, apiUrl, capacity, ...(further ? { further } : {}) }]
    })
  }
}
