import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What a request cannot do without: the same signatures, statements and questions to other processes. */
export interface Floor extends Own {
  asks?: readonly (Floor | 'the ledger')[]
}

interface Own {
  signatures?: number
  /** Signatures that are verified. */
  checks?: number
  reads?: number
  writes?: number
  /** How many statements each has. */
  transactions?: readonly number[]
}

/** A floor with the ports of those who are asked. */
export interface Work extends Own {
  asks?: readonly (Work & { port: number })[]
}

/** What ours answers: bare ones send the same bytes. */
export interface Answer {
  headers: Record<string, string>
  body: string
}

interface Bare {
  process: ChildProcess
  port: number
}

/** The bare processes that stand for ours. What the third does is not counted, as the ledger's is not. */
export async function startFloor(databaseUrl: string) {
  const start = async (): Promise<Bare> => {
    const child = fork(fileURLToPath(new URL('./bare.ts', import.meta.url)), {
      env: { ...process.env, BENCH_DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const [port] = (await once(child, 'message')) as [number]
    return { process: child, port }
  }
  const front = await start()
  const [behind, ledger] = await Promise.all([start(), start()])
  const workOf = ({ asks = [], ...own }: Floor): Work => ({
    ...own,
    asks: asks.map(each =>
      each === 'the ledger' ? { port: ledger.port } : { ...workOf(each), port: behind.port },
    ),
  })
  return {
    port: front.port,
    counted: new Map([front, behind].map((each, at) => [`bare ${at + 1}`, each.process.pid ?? 0])),
    tell: async (floor: Floor, answer: Answer) => {
      front.process.send({ work: workOf(floor), answer })
      await once(front.process, 'message')
    },
    stop: () => [front, behind, ledger].forEach(each => each.process.disconnect()),
  }
}
