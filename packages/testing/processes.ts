import { execFile } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'

const BUILD = fileURLToPath(new URL('../../apps/windlass/testing/build.ts', import.meta.url))

/** What a process that a test starts gets of this environment: where programs are, and Node's compiled modules. */
export function childEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}

/** The folder with an anchor's servers as they are shipped, `sep.mjs` and `business.mjs`, of the current sources. */
export function anchorServers(): Promise<string> {
  return build()
}

/** The program of a service, such as `control-plane`: a bundle of the current sources, which starts in a third of the time. */
export async function serviceProgram(name: string): Promise<string> {
  return join(await build('services'), `${name}.mjs`)
}

/** The folder with a console as it is shipped, or in another of Vite's modes. All tests of a run share one build. */
export function builtConsole(name: string, mode?: string): Promise<string> {
  return build(`apps/${name}`, ...(mode === undefined ? [] : [mode]))
}

/** The folder with the ramp as it is shipped, of the current sources. */
export function builtRamp(): Promise<string> {
  return build('packages/ramp')
}

/** What is built is compared with its sources once in a run: it takes as long as starting a service. */
async function build(...args: string[]): Promise<string> {
  const note = join(inject('runFolder'), `built-${args.join().replaceAll('/', '-')}`)
  if (existsSync(note)) return readFileSync(note, 'utf8')
  const { stdout } = await promisify(execFile)(process.execPath, [BUILD, ...args], {
    env: childEnvironment(),
  })
  writeFileSync(`${note}.${process.pid}`, stdout.trim())
  renameSync(`${note}.${process.pid}`, note)
  return stdout.trim()
}
