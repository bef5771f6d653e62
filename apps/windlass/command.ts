import { parseArgs } from 'node:util'
import type { Home } from './home.ts'
import type { Progress } from './progress.ts'

/** What a command is given. */
export interface Context {
  args: readonly string[]
  environment: NodeJS.ProcessEnv
  home: Home
  progress: Progress
}

/** One word after `windlass`. */
export interface Command {
  summary: string
  usage: string
  /** @returns the exit code */
  run(context: Context): Promise<number>
}

/** Wrong arguments; the message is shown with the command's usage. */
export class UsageError extends Error {}

/**
 * Parses a command's flags (none takes a value) and words.
 *
 * @throws {UsageError} for any other flag.
 */
export function readFlags<Flag extends string>(
  args: readonly string[],
  flags: readonly Flag[],
): { flags: Record<Flag, boolean>; words: string[] } {
  try {
    const options = Object.fromEntries(flags.map(flag => [flag, { type: 'boolean' as const }]))
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const given = Object.fromEntries(flags.map(flag => [flag, values[flag] === true]))
    return { flags: given as Record<Flag, boolean>, words: positionals }
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error))
  }
}
