import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { type RunningPostgres, startPostgres } from '@windlass/postgres/start.ts'
import pg from 'pg'
import type { Variables } from '../base-env.ts'
import { type Home, homeAt, prepareHome } from '../home.ts'
import { createKey } from '../backups/archive.ts'
import { archiveWal, backUpIfDue } from '../backups/create.ts'
import { giveFolder, restoreBackup, type RestoredState, verifyBackup } from '../backups/restore.ts'
import { startBackups } from '../backups/schedule.ts'
import type { News } from '../backups/state.ts'
import { backupFor } from '../backups/shelf.ts'
import { createSigningKey, signerOf } from '../backups/signature.ts'
import { storeAt } from '../backups/store-at.ts'

/** What a stack shares with those that are restored from its backups. */
export interface BackupKeys {
  key: { identities: string[]; signers: string[] }
  recipients: string[]
  variables: Variables
}

const PASSWORD = 'superuser'
const { signal } = new AbortController()

export async function createBackupKeys(more: Variables = {}): Promise<BackupKeys> {
  const { identity, recipient } = await createKey()
  const BACKUP_SIGNING_KEY = createSigningKey()
  return {
    key: { identities: [identity], signers: [signerOf(BACKUP_SIGNING_KEY)] },
    recipients: [recipient],
    variables: { ...more, POSTGRES_PASSWORD: PASSWORD, BACKUP_SIGNING_KEY },
  }
}

/** The databases of a stack, in a home of their own, as the launcher backs them up. */
export class BackedUpStack {
  readonly home: Home
  readonly keys: BackupKeys
  /** What the schedule warned of. */
  readonly warnings: string[] = []
  place: string
  #postgres: RunningPostgres | undefined

  constructor(folder: string, keys: BackupKeys, place: string) {
    this.home = homeAt(folder)
    this.keys = keys
    this.place = place
  }

  get dataFolder(): string {
    return placeData(this.home.postgres).folder
  }

  async start(): Promise<void> {
    prepareHome(this.home)
    writeFileSync(this.home.baseEnvFile, `POSTGRES_PASSWORD=${PASSWORD}\nBACKUP_TO=${this.place}\n`)
    this.#postgres = await startPostgres({
      dataFolder: this.home.postgres,
      port: 0,
      superuserPassword: PASSWORD,
      settings: { max_connections: 50 },
    })
  }

  async stop(): Promise<void> {
    await this.#postgres?.stop()
    this.#postgres = undefined
  }

  async sql(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }

  get url(): string {
    if (!this.#postgres) throw new Error('it does not run')
    return this.#postgres.url
  }

  /** One round of the schedule: a backup where one is due, and the log. */
  async backUp(): Promise<{ isMade: boolean; hasGap: boolean; stored: number }> {
    const archived = await this.archive()
    const made = await backUpIfDue(this.url, 24, await this.#options())
    return { isMade: made !== undefined, ...archived }
  }

  /** The log alone. */
  async archive(): Promise<{ hasGap: boolean; stored: number }> {
    const { hasGap, stored } = await archiveWal(this.url, await this.#options())
    return { hasGap, stored }
  }

  /** The schedule as the launcher runs it, until `done`. */
  async scheduled(done: () => unknown): Promise<void> {
    const { recipients } = this.keys
    const schedule = { place: this.place, recipients, everyHours: 24, keep: 7, logEverySeconds: 1 }
    const report = (news: News) => void (news.event === 'failed' && this.warnings.push(news.error))
    const POSTGRES_PORT = new URL(this.url).port
    const variables = { ...this.keys.variables, POSTGRES_PORT }
    const running = startBackups(schedule, variables, this.home, report)
    try {
      await done()
    } finally {
      await running.stop()
    }
  }

  /** A start without `BACKUP_TO`. */
  async withoutSchedule(): Promise<void> {
    const variables = { ...this.keys.variables, POSTGRES_PORT: new URL(this.url).port }
    await startBackups(null, variables, this.home, () => undefined).stop()
  }

  /** Restores the newest backup of a place, or of a time, into a home where there is nothing. */
  async restoreInto(
    folder: string,
    { from = this.place, ...more }: { from?: string; at?: Date; timeline?: number } = {},
  ): Promise<BackedUpStack> {
    const restored = new BackedUpStack(folder, this.keys, from)
    const store = await storeAt(from, restored.home, this.keys.variables)
    const { name } = await backupFor(store, more.at)
    const options = { home: restored.home, store, name, key: this.keys.key, signal, replace: false }
    await restoreBackup({ ...options, ...more, step: () => undefined })
    return restored
  }

  /** What `npm run backup -- verify` does with the newest backup. */
  async verify(): Promise<RestoredState> {
    const { store } = await this.#options()
    const { name } = await backupFor(store, undefined)
    const home = homeAt(`${this.home.folder}-verified`)
    return verifyBackup({ home, store, name, key: this.keys.key, signal, step: () => undefined })
  }

  /** A copy of the whole machine, while it does not run. */
  copyTo(folder: string): BackedUpStack {
    const copy = new BackedUpStack(folder, this.keys, this.place)
    mkdirSync(dirname(copy.dataFolder), { recursive: true })
    cpSync(this.home.folder, copy.home.folder, { recursive: true, preserveTimestamps: true })
    giveFolder(copy.dataFolder, placeData(copy.home.postgres).account)
    return copy
  }

  destroy(): void {
    rmSync(this.home.folder, { recursive: true })
  }

  async #options() {
    const { recipients, variables } = this.keys
    const store = await storeAt(this.place, this.home, variables)
    return { home: this.home, store, lock: { recipients }, signal, variables }
  }
}
