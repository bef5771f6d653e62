import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { bindSockets, socketsVariable } from './sockets.ts'

/** A service that listens on what it inherits and starts a child; prints the descriptors of sockets that each has. */
const SERVICE = `
  import { createServer } from 'node:net'
  import { spawn } from 'node:child_process'
  import { readdirSync, readlinkSync } from 'node:fs'
  const linkOf = (pid, fd) => { try { return readlinkSync('/proc/' + pid + '/fd/' + fd) } catch { return '' } }
  const inherited = linkOf(process.pid, 20)
  const hasIt = pid => readdirSync('/proc/' + pid + '/fd').some(fd => linkOf(pid, fd) === inherited)
  const server = createServer().listen({ fd: 20 }, () => {
    const children = [false, true].map(detached => spawn('sleep', ['60'], { stdio: 'ignore', detached }))
    console.log(JSON.stringify({ isSocket: inherited.startsWith('socket:'), own: hasIt(process.pid),
      children: children.map(({ pid }) => hasIt(pid)) }))
    children.forEach(child => child.kill())
    server.close()
  })`

it.runIf(existsSync('/proc/self/fd'))(
  'a process that inherits a socket hands it on to no child, which would keep the port after it',
  async () => {
    const [socket] = bindSockets(0, '127.0.0.1')
    expect(socketsVariable([socket!.port], 20)).toBe(`${socket!.port}:20`)
    // Beyond the first sixteen descriptors, which Node marks without looking whether they are open.
    const others = Array.from({ length: 16 }, () => socket!.fd)
    const service = spawn(process.execPath, ['--input-type=module', '-e', SERVICE], {
      stdio: ['ignore', 'pipe', 'inherit', 'ignore', ...others, socket!.fd],
    })
    socket!.close()
    const [output] = await Promise.all([text(service.stdout!), once(service, 'exit')])
    expect(JSON.parse(output)).toEqual({ isSocket: true, own: true, children: [false, false] })
  },
)
