import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'

/** The checkout this command belongs to. */
export const CHECKOUT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')

/**
 * Where Node keeps compiled modules: it halves the time a service needs to start. With the code, not with the data,
 * because it is written when a service ends, which is slow the first time.
 */
export const COMPILE_CACHE = join(CHECKOUT, 'node_modules', '.cache', 'windlass', 'compiled')

/** Lets users of services pass through a folder, whatever the one who starts lets others do with what it creates. */
export function openToUsers(folder: string): void {
  const { mode } = statSync(folder)
  if ((mode & 0o001) === 0) chmodSync(folder, (mode & 0o777) | 0o011)
}

/** Where the stack writes its files. */
export interface Home {
  folder: string
  baseEnvFile: string
  logs: string
  /** Run files: which processes belong to the stack. */
  run: string
  /** The same for anchors' servers, written by the control plane. */
  anchorRuns: string
  postgres: string
}

const MARKER = 'windlass-home'

/** `WINDLASS_HOME`, by default `.windlass` in the checkout. */
export function homeAt(folder: string | undefined): Home {
  const path = resolve(CHECKOUT, folder || '.windlass')
  const run = join(path, 'run')
  return {
    folder: path,
    baseEnvFile: join(path, 'base.env'),
    logs: join(path, 'logs'),
    run,
    anchorRuns: join(run, 'anchors'),
    postgres: join(path, 'postgres'),
  }
}

/**
 * Creates the folder. One that already holds something else is refused, because `stop --volumes` removes it whole.
 *
 * @throws {Error} when the folder belongs to something else.
 */
export function prepareHome(home: Home): void {
  if (!isOurs(home)) {
    const found = existsSync(home.folder)
      ? readdirSync(home.folder).filter(name => name !== 'install.lock')
      : []
    if (found.length > 0) {
      throw new Error(
        `WINDLASS_HOME is ${home.folder}, which holds other files (${found.slice(0, 3).join(', ')}). ` +
          'Name an empty or new folder.',
      )
    }
    // Other users may enter: Postgres runs as its own account under root. Secret files are closed.
    mkdirSync(home.folder, { recursive: true })
    writeFileSync(
      join(home.folder, MARKER),
      'Made by Windlass; "npm stop -- --volumes" removes this folder.\n',
    )
  }
  for (const folder of [home.logs, home.run]) makePrivateFolder(folder)
}

/** Whether the folder was made by {@link prepareHome}. */
export function isOurs(home: Home): boolean {
  return existsSync(join(home.folder, MARKER))
}

/** Removes everything the stack wrote there. */
export function removeHome(home: Home): void {
  if (isOurs(home)) rmSync(home.folder, { recursive: true, force: true })
}

/**
 * What to do where no process of a stack runs from this home. What `stack:up` and `cluster:up` start are containers, of
 * which these commands see nothing.
 */
export function whereElse(home: Home): string {
  if (existsSync(join(home.folder, 'cluster')))
    return 'Of a stack in a cluster: docs/guides/cluster.md#commands-of-operators'
  return isInContainers(home)
    ? 'Of a stack in containers: docker ps --filter network=platform-net, and docker logs windlass-<part>'
    : 'Start it with: npm start'
}

/** Whether `stack:up` or `cluster:up` was run for this home. */
export const isInContainers = (home: Home): boolean =>
  ['containers', 'cluster'].some(name => existsSync(join(home.folder, name)))
