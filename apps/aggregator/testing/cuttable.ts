import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a database that can be cut and mended, in the place of an outage. */
export interface CuttableDatabase {
  url: string
  /** Connections break and none can be made. */
  cut(): void
  /** Connections stand and nothing comes through: a network that swallows. */
  freeze(): void
  mend(): void
  close(): Promise<void>
}

export async function cuttable(databaseUrl: string): Promise<CuttableDatabase> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isCut = false
  let isFrozen = false
  const server = createServer(near => {
    if (isCut) return void near.destroy()
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', chunk => far.write(chunk))
    far.on('data', chunk => near.write(chunk))
    if (isFrozen) [near, far].forEach(socket => socket.pause())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const drop = () => sockets.forEach(socket => socket.destroy())
  return {
    url: url.href,
    cut: () => {
      isCut = true
      drop()
    },
    freeze: () => {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    mend: () => {
      isCut = false
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        drop()
      }),
  }
}
