import { readFileSync } from 'node:fs'

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

/** All TCP sockets of this network namespace, as Linux tells them (proc(5)); elsewhere none. */
export function tcpSockets(): TcpSocket[] {
  return [...linesOf('/proc/net/tcp'), ...linesOf('/proc/net/tcp6')].flatMap(line => {
    const [, local = '', remote = '', state, , , , uid] = line.trim().split(/\s+/)
    if (uid === undefined) return []
    const [localPort, remotePort] = [portOf(local), portOf(remote)]
    const addresses = { localAddress: addressOf(local), remoteAddress: addressOf(remote) }
    const states = { listens: state === LISTEN, isOpen: state === ESTABLISHED }
    return [{ local, localPort, remotePort, ...addresses, ...states, uid: Number(uid) }]
  })
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

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}

/** Users of services and of anchors' servers, where root starts them: above what systems give to people. */
export const isSystemUser = (uid: number): boolean => uid >= 19_000 && uid < 100_000
