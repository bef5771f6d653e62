import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import type { ListMessage } from './read-beside.ts'
import { ListError, readList } from './read-list.ts'

/* The thread that reads a list. */

const ENTRIES_AT_ONCE = 500

const send = (message: ListMessage): void => parentPort?.postMessage(message)
const bytes = Buffer.from(workerData as Uint8Array)

void main()

async function main(): Promise<void> {
  try {
    await sendList()
  } catch (error) {
    if (!(error instanceof ListError)) throw error
    send({ refused: error.message })
  }
}

async function sendList(): Promise<void> {
  const { entries, ...head } = await readList(bytes)
  const names = entries.reduce((sum, entry) => sum + entry.names.length, 0)
  send({ head: { ...head, names, digest: createHash('sha256').update(bytes).digest('hex') } })
  for (let at = 0; at < entries.length; at += ENTRIES_AT_ONCE)
    send({ entries: entries.slice(at, at + ENTRIES_AT_ONCE) })
  send({ done: true })
}
