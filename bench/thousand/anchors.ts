import type { JobResult } from '@windlass/contracts/platform/provisioning.ts'
import { foundersOf } from '@windlass/e2e/founders.ts'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { machineTime } from '../stand/process-costs.ts'

export interface ProvisionedAnchor {
  id: string
  result: JobResult
}

const AT_ONCE = 4
const PATIENCE_MS = 300_000
const EVERY = 10

/** Provisions anchors until there are so many, with those of earlier runs in this folder. */
export async function provision(
  variables: Readonly<Record<string, string>>,
  folder: string,
  count: number,
): Promise<ProvisionedAnchor[]> {
  const file = join(folder, 'anchors.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const anchors = lines.map(line => JSON.parse(line) as ProvisionedAnchor)
  const known = anchors.length
  const founders = foundersOf(variables)
  const [began, busyBefore] = [performance.now(), machineTime()]
  let begun = known
  const worker = async (): Promise<void> => {
    while (begun++ < count) {
      const { anchorId: id, job } = await founders.redeem(await founders.invite(), PATIENCE_MS)
      const anchor = { id, result: job.result }
      appendFileSync(file, `${JSON.stringify(anchor)}\n`)
      anchors.push(anchor)
      if (anchors.length % EVERY === 0) tell()
    }
  }
  const tell = () => {
    const made = anchors.length - known
    const seconds = (performance.now() - began) / 1_000
    const each = `${(seconds / made).toFixed(1)} s and ${((machineTime() - busyBefore) / made).toFixed(1)} s of processor time each`
    console.log(`  ${anchors.length} of ${count} anchors: ${each}`)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (anchors.length > known) tell()
  return anchors.slice(0, count)
}
