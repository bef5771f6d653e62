import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listeningSockets, socketsAt } from './tcp-sockets.ts'

const server = createServer()
let port = 0
let ours: Socket

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  ours = connect(port, '127.0.0.1')
  await once(ours, 'connect')
})
afterAll(() => {
  ours.destroy()
  server.close()
})

const whereLinux = it.skipIf(process.platform !== 'linux')
const self = process.getuid?.()

// Polled: the kernel may leave a socket out while others come and go.
whereLinux('says who listens at a port', () =>
  expect
    .poll(() => [...listeningSockets()].filter(({ localPort }) => localPort === port))
    .toMatchObject([{ localAddress: '127.0.0.1', listens: true, uid: self }]),
)

whereLinux('finds both ends of a connection by a port of one end', () => {
  const { localPort } = ours
  const ends = () => [...socketsAt(localPort ?? 0)].filter(each => each.isOpen)
  const isOurs = (each: { localPort: number; remotePort: number }) =>
    [each.localPort, each.remotePort].includes(port)
  return expect
    .poll(() =>
      ends()
        .filter(isOurs)
        .toSorted(
          (one, other) => Number(other.localPort === localPort) - Number(one.localPort === localPort),
        ),
    )
    .toMatchObject([
      { localPort, remotePort: port, listens: false, uid: self },
      { localPort: port, remotePort: localPort, listens: false, uid: self },
    ])
})
