import { readFileSync } from 'node:fs'
import { raiseWholeStack, type RaisedStack } from '@windlass/e2e/raised-stack.ts'
import { fastFolder } from './run.ts'

/** How long an anchor may take to be there, on a busy machine too. */
export const PATIENCE_MS = 20 * 60_000

export type Raised = Pick<RaisedStack, 'home' | 'variables' | 'remove'>

/** A whole stack of the benchmark's own. A smoke run of several benchmarks has one for all of them. */
export async function raise(settings: Record<string, string> = {}): Promise<Raised> {
  const shared = process.env.BENCH_STACK
  if (shared === undefined) return raiseWholeStack(settings, fastFolder)
  const { home, variables } = JSON.parse(readFileSync(shared, 'utf8')) as Omit<Raised, 'remove'>
  return { home, variables, remove: async () => undefined }
}
