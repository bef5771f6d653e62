import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** Scans uploaded files for malware. */
export interface Scanner {
  /** The name of the malware, or null. Throws if the scanner does not answer. */
  scan(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<string | null>
}

const ANSWERS_WITHIN_MS = 20_000
const CHUNK_BYTES = 64 * 1024
const MAX_ANSWER = 1_000

/**
 * ClamAV's clamd by its INSTREAM command (clamd(8)), at a socket's path or `host:port`. Each scan is a connection of its
 * own.
 */
export function createClamd(address: string): Scanner {
  return {
    scan: async pieces => {
      const answer = await exchange(address, pieces)
      // oxlint-disable-next-line compared-sentences/by-codes -- clamd's protocol.
      if (answer === 'stream: OK') return null
      const found = /^stream: (.+) FOUND$/.exec(answer)?.[1]
      if (found) return found
      throw new Error(`clamd answered ${answer.slice(0, 200) || 'nothing'}`)
    },
  }
}

function exchange(address: string, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(address)
  const timer = setTimeout(() => socket.destroy(new Error('clamd did not answer in time')), ANSWERS_WITHIN_MS)
  let answer = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    answer += text
    if (answer.length > MAX_ANSWER) socket.destroy(new Error('clamd answered too much'))
  })
  socket.once('error', error => (answer.includes('\0') ? resolve(textOf(answer)) : reject(error)))
  socket.once('end', () => resolve(textOf(answer)))
  socket.once('close', () => {
    clearTimeout(timer)
    reject(new Error('clamd closed the connection'))
  })
  socket.once('connect', () => {
    void send(socket, pieces).catch((error: Error) => socket.destroy(error))
  })
  return promise
}

async function send(socket: Socket, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
  socket.write('zINSTREAM\0')
  for await (const bytes of pieces)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES)
      socket.write(lengthOf(chunk.length))
      // It may be gone, having answered before the end.
      if (!socket.write(chunk) && !socket.destroyed)
        await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    }
  socket.write(lengthOf(0))
}

const textOf = (answer: string) => (answer.split('\0')[0] ?? '').trim()

function connect(address: string): Socket {
  const [, host, port] = /^(?:tcp:\/\/)?\[?([^/\]]+?)\]?:(\d{1,5})$/.exec(address) ?? []
  return port ? createConnection({ host, port: Number(port) }) : createConnection({ path: address })
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}
