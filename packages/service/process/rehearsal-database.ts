import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { LOOPBACK, LOOPBACK_HOST } from './loopback.ts'

/** A database that has nothing, in a rehearsal. */
export interface RehearsalDatabase {
  url: string
  close(): void
}

/** Postgres' answers: https://www.postgresql.org/docs/current/protocol-message-formats.html. */
const answer = (type: string, body: string | Buffer = '') => {
  const content = Buffer.from(body)
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + content.length)
  return Buffer.concat([Buffer.from(type), length, content])
}
/** Lengths of a message, which count the four bytes that say them. */
const SHORTEST = 4
const LONGEST = 2 ** 20
const READY = answer('Z', 'I')
const DONE = answer('C', 'SELECT 0\0')
const WELCOME = Buffer.concat([answer('R', Buffer.alloc(4)), READY])
const ANSWERS: Readonly<Record<string, Buffer>> = {
  Q: Buffer.concat([DONE, READY]),
  P: answer('1'),
  B: answer('2'),
  C: answer('3'),
  D: answer('n'),
  E: DONE,
  S: READY,
}

/** Answers each statement with no rows until it is closed. */
export async function startRehearsalDatabase(): Promise<RehearsalDatabase> {
  const connected = new Set<Socket>()
  const server = createServer(socket => {
    connected.add(socket.on('error', () => undefined))
    answerAll(socket)
  })
  await once(server.listen(0, LOOPBACK), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://rehearsal@${LOOPBACK_HOST}:${port}/rehearsal`,
    close: () => {
      server.close()
      for (const socket of connected) socket.destroy()
    },
  }
}

function answerAll(socket: Socket): void {
  let unread = Buffer.alloc(0)
  let isGreeted = false
  socket.on('data', (part: Buffer) => {
    unread = Buffer.concat([unread, part])
    for (;;) {
      // The first message has no type.
      const start = isGreeted ? 1 : 0
      if (unread.length < start + 4) return
      const length = unread.readInt32BE(start)
      // Anyone of the machine may connect, and a spare may be root's.
      if (length < SHORTEST || length > LONGEST) return void socket.destroy()
      const end = start + length
      if (unread.length < end) return
      socket.write(isGreeted ? (ANSWERS[String.fromCharCode(unread[0] ?? 0)] ?? '') : WELCOME)
      isGreeted = true
      unread = unread.subarray(end)
    }
  })
}
