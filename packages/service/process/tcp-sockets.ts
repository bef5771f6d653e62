import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'

/** A TCP socket of this machine, and the user whose program has it. */
interface TcpSocket {
  /** As proc(5) writes them: hexadecimal, in the processor's order of bytes. */
  local: string
  /** `127.0.0.1`, also where it is mapped into IPv6, `::1`, or as proc(5) writes others. */
  localAddress: string
  localPort: number
  remoteAddress: string
  remotePort: number
  listens: boolean
  /** Both ends have it. One that was closed is root's for the kernel, even if another user had it. */
  isOpen: boolean
  uid: number
}

const LISTEN = '0A'
const ESTABLISHED = '01'

/**
 * Those that listen, as Linux tells them (proc(5)); elsewhere none. It lists them first, and looks through all others only
 * for who reads on.
 */
export function* listeningSockets(): Generator<TcpSocket> {
  for (const file of FILES)
    for (const line of readInParts(file)) {
      const socket = parse(line)
      if (!socket.listens) break
      yield socket
    }
}

/** Those with a port at one of their ends, as {@link listeningSockets}. */
export function* socketsAt(port: number): Generator<TcpSocket> {
  const text = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  for (const file of FILES) for (const line of linesOf(file)) if (line.includes(text)) yield parse(line)
}

const FILES = ['/proc/net/tcp', '/proc/net/tcp6']

function parse(line: string): TcpSocket {
  const [, local = '', remote = '', state, , , , uid] = line.trim().split(/\s+/)
  const [localPort, remotePort] = [portOf(local), portOf(remote)]
  const addresses = { localAddress: addressOf(local), remoteAddress: addressOf(remote) }
  const states = { listens: state === LISTEN, isOpen: state === ESTABLISHED }
  return { local, localPort, remotePort, ...addresses, ...states, uid: Number(uid) }
}

const LOOPBACK_6 = '00000000000000000000000001000000'
const MAPPED = '0000000000000000FFFF0000'

function addressOf(place: string): string {
  const [address = ''] = place.split(':')
  if (address === LOOPBACK_6) return '::1'
  const four = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address
  if (four.length !== 8) return address
  return [...Buffer.from(four, 'hex').reverse()].join('.')
}

const portOf = (address: string): number => Number.parseInt(address.slice(address.indexOf(':') + 1), 16)

function* readInParts(file: string): Generator<string> {
  if (!existsSync(file)) return
  const descriptor = openSync(file, 'r')
  try {
    const part = Buffer.alloc(PART)
    let rest = ''
    for (let size = readSync(descriptor, part); size > 0; size = readSync(descriptor, part)) {
      const lines = (rest + part.toString('latin1', 0, size)).split('\n')
      rest = lines.pop() ?? ''
      yield* lines.filter(line => !TITLES.test(line))
    }
  } finally {
    closeSync(descriptor)
  }
}

const PART = 16_384
const TITLES = /^\s*sl\s/

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}

/** Users of services and of anchors' servers, where root starts them: above what systems give to people. */
export const isSystemUser = (uid: number): boolean => uid >= 19_000 && uid < 100_000
