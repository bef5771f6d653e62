import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseEnvFile } from '@windlass/windlass/base-env.ts'

const run = promisify(execFile)
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))
const IMAGES = ['node:24-bookworm-slim', 'postgres:18-bookworm', 'caddy:2']

export const PORTS = {
  PLATFORM_API_PORT: 18680,
  CONTROL_PLANE_PORT: 18681,
  AGGREGATOR_PORT: 18682,
  FOUNDER_CONSOLE_PORT: 18683,
  ADMIN_CONSOLE_PORT: 18684,
  CUSTOMER_PORTAL_PORT: 18694,
  POSTGRES_PORT: 18685,
  SECRETS_STORE_PORT: 18686,
  PROXY_PORT: 18687,
  DASHBOARD_PORT: 18688,
  SMTP_PORT: 18689,
  MAIL_CATCHER_PORT: 18690,
  LOCAL_NETWORK_PORT: 18691,
  HTTPS_PORT: 18692,
  HTTP_PORT: 18693,
  SIGNER_PORT: 18695,
  LEDGER_GATEWAY_PORT: 18696,
}

/**
 * Why the stack cannot be brought up in containers here, or null. Its containers and volumes are one to an engine:
 * someone's own stack is left alone, and nothing is pulled.
 */
export async function whatIsInTheWay(): Promise<string | null> {
  const ask = async (...args: string[]) => (await run('docker', args, { timeout: 20_000 })).stdout.trim()
  try {
    await ask('version')
  } catch {
    return 'no container engine answers'
  }
  const composes = [ask('compose', 'version'), run('docker-compose', ['version'])]
  if (!(await Promise.any(composes).catch(() => null))) return 'there is no docker compose'
  for (const image of IMAGES) {
    const found = await ask('image', 'inspect', '--format', '{{.Id}}', image).catch(() => '')
    if (found === '') return `the engine has no image ${image}`
  }
  const containers = await ask('ps', '--all', '--format', '{{.Names}}')
  const volumes = await ask('volume', 'ls', '--quiet')
  const stack = `${containers}\n${volumes}`
    .split('\n')
    .find(name => /^windlass-(postgres|anchors)$/.test(name))
  return stack ? `the engine holds a stack already (${stack})` : null
}

export interface ComposedStack {
  /** Addresses and credentials, as this machine knows them. */
  variables: Record<string, string>
  /** What `stack:up` printed. */
  output: string
  /** Runs one of the stack's commands. Throws with the end of its output where it fails. */
  stack(...args: string[]): Promise<string>
  docker(...args: string[]): Promise<string>
  /** Builds an image from a Dockerfile's text, without files. */
  build(tag: string, dockerfile: string): Promise<void>
  /** Stops everything and removes every trace but the image. */
  remove(): Promise<void>
}

/** The stack as `npm run stack:up` brings it up, on ports and with a home of its own. */
export async function raiseComposedStack(...flags: string[]): Promise<ComposedStack> {
  const home = mkdtempSync(join(tmpdir(), 'windlass-stack-'))
  const ports = Object.fromEntries(Object.entries(PORTS).map(([name, port]) => [name, String(port)]))
  const tls = { TLS_ISSUER: 'internal', TLS_ADDRESS: '127.0.0.1' }
  const env = { ...process.env, ...ports, ...tls, WINDLASS_HOME: join(home, 'home') }
  const stack = (...args: string[]) =>
    run(process.execPath, ['boot.mjs', ...args], { cwd: CHECKOUT, env, maxBuffer: 2 ** 26 }).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${args.join(' ')} failed: ${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`)
      },
    )
  const remove = async () => {
    await stack('stack:down', '--volumes')
    rmSync(home, { recursive: true, force: true })
  }
  const output = await stack('stack:up', ...flags).catch(async (error: unknown) => {
    await remove().catch(() => undefined)
    throw error
  })
  const file = join(env.WINDLASS_HOME, 'base.env')
  return {
    variables: {
      ...parseEnvFile(readFileSync(file, 'utf8'), file),
      PLATFORM_URL: `http://localhost:${PORTS.PLATFORM_API_PORT}`,
    },
    output,
    stack,
    docker: async (...args) => (await run('docker', args, { env, maxBuffer: 2 ** 26 })).stdout.trim(),
    build: async (tag, dockerfile) => {
      const building = run('docker', ['build', '-q', '-t', tag, '-'], { env })
      building.child.stdin?.end(dockerfile)
      await building
    },
    remove,
  }
}
