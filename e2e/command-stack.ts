import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { childEnvironment } from '@windlass/testing/processes.ts'
import { made } from '@windlass/windlass/demo/story.ts'
import { homeAt } from '@windlass/windlass/home.ts'
import { readLock, type StackLock } from '@windlass/windlass/run-files.ts'
import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { choosePorts } from './raised-stack.ts'

const COMMAND = fileURLToPath(new URL('../apps/windlass/main.ts', import.meta.url))

/**
 * A stack that is operated by the command, as an operator does, in a folder and on ports of its own.
 *
 * @param under the program and its arguments that run each command, such as `unshare`
 */
export async function createCommandStack(root: string, under: readonly string[] = []) {
  const [program = '', ...before] = [...under, process.execPath, COMMAND]
  const home = homeAt(join(root, 'home'))
  const environment: Record<string, string> = {
    ...childEnvironment(),
    ...(await choosePorts()),
    WINDLASS_HOME: home.folder,
  }
  return {
    home,
    /** Environment of the commands; tests add to it. */
    environment,
    /** What the command prints. Throws where it fails. */
    windlass: async (...args: string[]): Promise<string> => {
      const { stdout } = await promisify(execFile)(program, [...before, ...args], { env: environment })
      return stdout
    },
    /** Starts it, until it is ready. */
    start: async (): Promise<StackLock> => {
      const log = join(root, 'start.log')
      const script = `exec "$0" "$@" >>${log} 2>&1`
      const child = spawn('sh', ['-c', script, program, ...before, 'start'], {
        env: environment,
        stdio: 'ignore',
        detached: true,
      })
      let ended = false
      child.once('exit', () => (ended = true))
      const ready = async () => {
        if (ended) throw new Error(`the stack ended: ${readFileSync(log, 'utf8')}`)
        return (await readLock(home.run))?.ready
      }
      await expect.poll(ready, { timeout: 120_000, interval: 500 }).toBe(true)
      return made(await readLock(home.run), 'lock')
    },
  }
}

/** One whose backups a key of its folder reads, and whose ledger is not on the machine that is lost. */
export async function createStackToRestore(name: string) {
  const root = mkdtempSync(join(fastFolder(), `windlass-${name}-`))
  // Services run as users of their own.
  chmodSync(root, 0o755)
  const stack = await createCommandStack(root)
  const key = join(root, 'key.txt')
  const { recipient } = JSON.parse(await stack.windlass('backup', 'key', key, '--json')) as {
    recipient: string
  }
  const ledger = join(root, 'ledger')
  Object.assign(stack.environment, { LOCAL_NETWORK_HOME: ledger, BACKUP_ENCRYPT_TO: recipient })
  return {
    ...stack,
    ...{ root, key, ledger, backups: join(root, 'backups') },
    remove: async (): Promise<void> => {
      await stack.windlass('stop', '--volumes')
      rmSync(root, { recursive: true, force: true })
    },
  }
}

export type StackToRestore = Awaited<ReturnType<typeof createStackToRestore>>
