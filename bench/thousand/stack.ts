import { choosePorts } from '@windlass/e2e/raised-stack.ts'
import { homeAt } from '@windlass/windlass/home.ts'
import type { Progress } from '@windlass/windlass/progress.ts'
import { raiseStack, type Stack } from '@windlass/windlass/stack.ts'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A stack in a folder on disk: what it holds stays, with its addresses, for another run. */
export async function raiseIn(folder: string, settings: Record<string, string>): Promise<Stack> {
  mkdirSync(folder, { recursive: true })
  // Postgres runs as another user where this runs as root.
  chmodSync(folder, 0o755)
  const file = join(folder, 'ports.json')
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await choosePorts()))
  const ports = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  return raiseStack({
    home: homeAt(join(folder, 'home')),
    environment: { ...process.env, ...ports, ...settings },
    progress: silent,
    interrupted: new AbortController().signal,
  })
}

const ignore = () => undefined
const silent: Progress = {
  ...{ heading: ignore, done: ignore, note: ignore, plain: ignore },
  warn: text => console.warn(`  ${text}`),
  fail: text => console.error(`  ${text}`),
}
