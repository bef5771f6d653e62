import type { waitCodes } from '@windlass/contracts/anchor/developer-api.ts'
import { workspace } from './texts.ts'

interface Waiting {
  code: (typeof waitCodes)[number]
  details: Record<string, unknown>
}

/** What a payment waits for, in the reader's language. */
export function describeWait({ code, details }: Waiting): string {
  const named = Object.entries(details).map(([name, value]) => [name, [value].flat().join(', ')])
  return workspace.waits[code](Object.fromEntries(named) as Record<string, string>)
}
