import { isSystemUser, socketsAt } from '@windlass/service/process/tcp-sockets.ts'
import type { FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { OURSELVES } from './budget.ts'

/** Who asks: what is counted, and whether it may say how urgent it is. */
interface Caller {
  name: string
  /** A service or an anchor's server; not another user of this machine. */
  isOurs: boolean
}

const FIRST_ANCHOR = 20_000
const ofSockets = new WeakMap<Socket, Caller>()
const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/**
 * The caller of a request. On one machine the kernel says whose program a connection is; each anchor's server has a user of its
 * own there. In containers each has an address, which others cannot take.
 */
export function callerOf({ raw: { socket } }: FastifyRequest): Caller {
  const known = ofSockets.get(socket)
  if (known) return known
  const caller = identify(socket)
  ofSockets.set(socket, caller)
  return caller
}

function identify({ remoteAddress = '', remotePort = 0, localAddress = '', localPort }: Socket): Caller {
  const isHere = process.platform === 'linux' && LOOPBACK.test(remoteAddress)
  if (!isHere) return { name: remoteAddress, isOurs: true }
  const [theirs, ours] = [unmapped(remoteAddress), unmapped(localAddress)]
  const other = socketsAt(remotePort).find(
    socket =>
      socket.isOpen &&
      socket.localAddress === theirs &&
      socket.localPort === remotePort &&
      socket.remoteAddress === ours &&
      socket.remotePort === localPort,
  )
  // It is closed already: its port and address may be another's by now.
  if (!other) return { name: 'gone', isOurs: false }
  const { uid } = other
  const isService = uid === 0 || uid === process.getuid?.() || (isSystemUser(uid) && uid < FIRST_ANCHOR)
  return isService ? { name: OURSELVES, isOurs: true } : { name: `user ${uid}`, isOurs: isSystemUser(uid) }
}

/** An IPv4 address may be written as one of IPv6. */
const unmapped = (address: string): string => address.replace(/^::ffff:/, '')
