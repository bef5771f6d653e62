import { Worker } from 'node:worker_threads'
import { ListError, type ListEntry, type ReadList } from './read-list.ts'

type Head = Omit<ReadList, 'entries'> & {
  names: number
  /** SHA-256 in hexadecimal. */
  digest: string
}

export type ListMessage = { head: Head } | { entries: ListEntry[] } | { done: true } | { refused: string }

const MAX_MEMORY_MB = 1_024

/**
 * Reads a list in a thread of its own: one of 48 MB takes seconds, in which this server answers. Its entries come some at a
 * time.
 *
 * @throws {ListError}
 */
export async function readListBeside(bytes: Buffer): Promise<Head & Pick<ReadList, 'entries'>> {
  const thread = new Worker(new URL('./read-list-thread.ts', import.meta.url), {
    workerData: bytes,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Head & Pick<ReadList, 'entries'>>()
  const entries: ListEntry[] = []
  let head: Head | undefined
  thread.on('message', (message: ListMessage) => {
    if ('refused' in message) reject(new ListError(message.refused))
    else if ('head' in message) head = message.head
    else if ('entries' in message) for (const entry of message.entries) entries.push(entry)
    else if (head) resolve({ ...head, entries })
  })
  thread.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new ListError(`The file needs more than ${MAX_MEMORY_MB} MB to be read.`)
        : error,
    ),
  )
  thread.on('exit', code => reject(new Error(`the thread that reads a list ended with ${code}`)))
  try {
    return await promise
  } finally {
    await thread.terminate()
  }
}
