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
 * Parses a command's flags and words, of which it takes so many at most.
 *
 * @throws {UsageError} for anything else.
 */
export function readFlags<Flag extends string>(
  args: readonly string[],
  flags: readonly Flag[],
  mostWords = 0,
): { flags: Record<Flag, boolean>; words: string[] } {
  return readOptions(args, flags, [], mostWords)
}

/**
 * The same with options that have a value each (`--to folder`), which may be given several times.
 *
 * @throws {UsageError} for any other flag, and for a missing value.
 */
export function readOptions<Flag extends string, Value extends string>(
  args: readonly string[],
  flags: readonly Flag[],
  values: readonly Value[],
  mostWords = 0,
): { flags: Record<Flag, boolean>; values: Record<Value, string[]>; words: string[] } {
  try {
    const options = Object.fromEntries([
      ...flags.map(flag => [flag, { type: 'boolean' as const }]),
      ...values.map(name => [name, { type: 'string' as const, multiple: true }]),
    ])
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true })
    const extra = parsed.positionals[mostWords]
    if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra}'`)
    const found: Record<string, unknown> = parsed.values
    const given = Object.fromEntries(flags.map(flag => [flag, found[flag] === true]))
    const named = Object.fromEntries(values.map(name => [name, found[name] ?? []]))
    return {
      flags: given as Record<Flag, boolean>,
      values: named as Record<Value, string[]>,
      words: parsed.positionals,
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error))
  }
}

/** The result of a command for programs: one JSON document on standard output. */
export function printJson(progress: Pick<Progress, 'plain'>, value: unknown): void {
  progress.plain(JSON.stringify(value, null, 2))
}
