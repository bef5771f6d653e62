import { readFileSync } from 'node:fs'

/** A TCP socket of this machine, and the user whose program has it. */
export interface TcpSocket {
  /** As proc(5) writes them: hexadecimal, in the processor's order of bytes. */
  local: string
  localPort: number
  remotePort: number
  listens: boolean
  uid: number
}

const LISTEN = '0A'

/** All TCP sockets of this network namespace, as Linux tells them (proc(5)); elsewhere none. */
export function tcpSockets(): TcpSocket[] {
  return [...linesOf('/proc/net/tcp'), ...linesOf('/proc/net/tcp6')].flatMap(line => {
    const [, local = '', remote = '', state, , , , uid] = line.trim().split(/\s+/)
    if (uid === undefined) return []
    const [localPort, remotePort] = [portOf(local), portOf(remote)]
    return [{ local, localPort, remotePort, listens: state === LISTEN, uid: Number(uid) }]
  })
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
