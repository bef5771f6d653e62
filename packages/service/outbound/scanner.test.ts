import { createServer, type Server, type Socket } from 'node:net'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createClamd } from './scanner.ts'

/** The test file of antivirus programs (https://www.eicar.org), in two parts so that none takes this file for it. */
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE!$H+H*'].join('')

let server: Server
let path: string
afterEach(async () => {
  await new Promise(resolve => server.close(resolve))
  rmSync(dirname(path), { recursive: true, force: true })
})

/** clamd as far as INSTREAM goes: lengths and chunks until a length of zero, then one answer. */
async function startClamd(answer: (bytes: Buffer, socket: Socket) => void): Promise<void> {
  path = join(await mkdtemp(join(tmpdir(), 'windlass-clamd-')), 'clamd.ctl')
  server = createServer(socket => {
    let received = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', part => {
      received = Buffer.concat([received, part])
      const bytes = streamIn(received)
      if (bytes) answer(bytes, socket)
    })
  }).listen(path)
  await new Promise(resolve => server.once('listening', resolve))
}

function streamIn(received: Buffer): Buffer | null {
  const command = 'zINSTREAM\0'
  if (received.toString('latin1', 0, command.length) !== command) return null
  const chunks: Buffer[] = []
  for (let at = command.length; at + 4 <= received.length;) {
    const length = received.readUInt32BE(at)
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(received.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return null
}

const asClamd = (bytes: Buffer, socket: Socket) =>
  socket.end(bytes.includes(EICAR) ? 'stream: Eicar-Test-Signature FOUND\0' : 'stream: OK\0')

describe('a scan by clamd', () => {
  it('finds what clamd finds, in files larger than a chunk too', async () => {
    await startClamd(asClamd)
    const scanner = createClamd(path)
    expect(await scanner.scan([Buffer.alloc(300_000, 7)])).toBeNull()
    const infected = Buffer.concat([Buffer.alloc(200_000, 7), Buffer.from(EICAR)])
    expect(await scanner.scan([infected])).toBe('Eicar-Test-Signature')
  })

  it.each<[string, (bytes: Buffer, socket: Socket) => void]>([
    ['refuses the size', (_, socket) => void socket.end('INSTREAM size limit exceeded. ERROR\0')],
    ['closes the connection', (_, socket) => void socket.destroy()],
    ['answers without end', (_, socket) => void socket.write('x'.repeat(5_000))],
  ])('fails where clamd %s', async (_, answer) => {
    await startClamd(answer)
    await expect(createClamd(path).scan([Buffer.from('a passport')])).rejects.toThrow(/clamd/)
  })

  it('fails where nothing listens', async () => {
    await startClamd(asClamd)
    await expect(createClamd(`${path}.gone`).scan([Buffer.from('a passport')])).rejects.toThrow()
  })
})
