import { loopbackAddresses } from '@windlass/service/process/loopback.ts'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'

/** Why a port cannot be used. */
type Obstacle = 'taken' | 'forbidden' | undefined

/** Tries the port on both loopback addresses (or on the given host), as the services will. */
export async function obstacleOn(port: number, host: string): Promise<Obstacle> {
  const hosts = host === 'localhost' ? loopbackAddresses() : [host]
  for (const address of hosts) {
    const code = await tryListening(port, address)
    if (code === 'EADDRINUSE') return 'taken'
    if (code === 'EACCES') return 'forbidden'
  }
  return undefined
}

function tryListening(port: number, host: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** The program that listens on a port, `nginx (process 812: nginx -g daemon off;)`, as far as this user may see it. */
export function holderOf(port: number): string {
  return (process.platform === 'linux' ? fromProc(port) : fromLsof(port)) ?? 'another program'
}

function fromProc(port: number): string | undefined {
  const inodes = listeningInodes(port)
  if (inodes.size === 0) return undefined
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    if (holdsSocket(pid, inodes)) return describeProcess(pid)
  }
  return 'a program of another user'
}

/** Socket inodes in state LISTEN on the port (proc_net(5): local_address is hex address:port, state 0A, inode). */
function listeningInodes(port: number): Set<string> {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  const inodes = new Set<string>()
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readLines(file)) {
      const fields = line.trim().split(/\s+/)
      if (fields[3] === '0A' && fields[1]?.endsWith(`:${wanted}`) && fields[9]) inodes.add(fields[9])
    }
  }
  return inodes
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}

function holdsSocket(pid: string, inodes: Set<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(descriptor => {
      const inode = /^socket:\[(\d+)\]$/.exec(tryReadlink(`/proc/${pid}/fd/${descriptor}`))?.[1]
      return inode !== undefined && inodes.has(inode)
    })
  } catch {
    return false
  }
}

function tryReadlink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function describeProcess(pid: string): string {
  const name = readLines(`/proc/${pid}/comm`)[0] || 'a program'
  const command = (readLines(`/proc/${pid}/cmdline`)[0] ?? '').replaceAll('\0', ' ').trim()
  return `${name} (process ${pid}${command ? `: ${command.slice(0, 100)}` : ''})`
}

function fromLsof(port: number): string | undefined {
  try {
    const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']
    const output = execFileSync('lsof', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const pid = /^p(\d+)/m.exec(output)?.[1]
    const name = /^c(.+)/m.exec(output)?.[1]
    return pid && name ? `${name} (process ${pid})` : undefined
  } catch {
    return undefined
  }
}
