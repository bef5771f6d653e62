import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:net'
import { LOOPBACK } from '@windlass/service/process/loopback.ts'
import { writeWhole } from '@windlass/service/process/write-whole.ts'
import type { Variables } from './base-env.ts'
import type { Home } from './home.ts'
import { checkHealth, type Health } from './service-process.ts'
import type { Service } from './services.ts'
import { portOf } from './settings.ts'

/** What the launcher saw of a part that is not as it should be. Times are ISO 8601. */
interface PartState {
  /** Since when it is not healthy; absent: it is. */
  since?: string
  /** When it ended by itself, the latest last. */
  endings: string[]
  /** How it last ended. */
  ending?: string
}
type PartStates = Record<string, PartState>

const LOOK_EVERY_MS = 10_000
const REMEMBERED_MS = 60 * 60_000
const KEPT_ENDINGS = 50
const CONNECTS_WITHIN_MS = 2_000

const fileOf = ({ run }: Home): string => join(run, 'parts.json')

/** Empty where the launcher wrote nothing yet. */
export function readPartStates(home: Home): PartStates {
  try {
    return JSON.parse(readFileSync(fileOf(home), 'utf8')) as PartStates
  } catch {
    return {}
  }
}

/** The health of a part, and of Postgres, which answers no HTTP. */
export const healthOfPart = (part: Service | 'postgres', variables: Variables): Promise<Health> =>
  part === 'postgres' ? healthOfPostgres(variables) : checkHealth(part, variables)

function healthOfPostgres(variables: Variables): Promise<Health> {
  const socket = connect(portOf(variables, 'POSTGRES_PORT', 5432), LOOPBACK)
  return new Promise<Health>(resolve => {
    const silent = { healthy: false, why: 'silent' as const, description: 'no answer' }
    socket.setTimeout(CONNECTS_WITHIN_MS, () => resolve(silent))
    socket.once('error', () => resolve(silent))
    socket.once('connect', () => socket.write(ASK_FOR_TLS))
    // A process that hangs takes connections and answers nothing.
    socket.once('data', () => resolve({ healthy: true, description: 'healthy' }))
  }).finally(() => socket.destroy())
}

/** Postgres answers this with one letter, before anybody signs in. */
const ASK_FOR_TLS = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])

/** Writes down since when parts are not healthy, and how they end, for those who ask later. */
export class PartWatch {
  readonly #home: Home
  readonly #states: PartStates = {}
  #timer: NodeJS.Timeout | undefined

  constructor(home: Home) {
    this.#home = home
  }

  ended(name: string, ending: string): void {
    const oldest = Date.now() - REMEMBERED_MS
    const endings = (this.#states[name]?.endings ?? []).filter(at => Date.parse(at) > oldest)
    const at = new Date().toISOString()
    this.#set(name, {
      since: at,
      ...this.#states[name],
      endings: [...endings, at].slice(-KEPT_ENDINGS),
      ending,
    })
  }

  begin(parts: readonly (Service | 'postgres')[], variables: Variables): void {
    writeStates(this.#home, this.#states)
    const look = async () => {
      await Promise.all(
        parts.map(async part => {
          const { healthy } = await healthOfPart(part, variables)
          const name = part === 'postgres' ? part : part.name
          const { since, ...before } = this.#states[name] ?? { endings: [] }
          if (healthy && since !== undefined) this.#set(name, before)
          if (!healthy && since === undefined) this.#set(name, { ...before, since: new Date().toISOString() })
        }),
      )
    }
    const again = () => {
      this.#timer = setTimeout(() => void look().finally(again), LOOK_EVERY_MS).unref()
    }
    again()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #set(name: string, state: PartState): void {
    this.#states[name] = state
    writeStates(this.#home, this.#states)
  }
}

/** A full disk keeps no part from being watched. */
function writeStates(home: Home, states: PartStates): void {
  try {
    writeWhole(fileOf(home), `${JSON.stringify(states)}\n`)
  } catch {
    // What is written is older than what is known.
  }
}
