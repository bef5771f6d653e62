import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { homeAt } from '@windlass/windlass/home.ts'
import type { Progress } from '@windlass/windlass/progress.ts'
import { raiseStack, type Stack } from '@windlass/windlass/stack.ts'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'

const PORTS = [
  'POSTGRES_PORT',
  'SECRETS_STORE_PORT',
  'SIGNER_PORT',
  'LEDGER_GATEWAY_PORT',
  'LOCAL_NETWORK_PORT',
  'MAIL_CATCHER_PORT',
  'SMTP_PORT',
  'DASHBOARD_PORT',
  'PROXY_PORT',
  'PLATFORM_API_PORT',
  'CONTROL_PLANE_PORT',
  'AGGREGATOR_PORT',
  'FOUNDER_CONSOLE_PORT',
  'ADMIN_CONSOLE_PORT',
  'CUSTOMER_PORTAL_PORT',
] as const

export interface RaisedStack {
  /** Where its data is: WINDLASS_HOME for commands that ask about it. */
  home: string
  variables: Stack['variables']
  /** What the stack said while it came up and after: shown when a test fails. */
  said: string[]
  progress: Progress
  restart: Stack['restart']
  /** Stops everything and removes every trace. */
  remove(): Promise<void>
}

/** The whole of Windlass as `npm start` brings it up with these settings, on free ports and in a folder of its own. */
export async function raiseWholeStack(settings: Record<string, string> = {}): Promise<RaisedStack> {
  const folder = mkdtempSync(join(fastFolder(), 'windlass-e2e-'))
  // Postgres runs as another user where the tests run as root.
  chmodSync(folder, 0o755)
  const home = join(folder, 'home')
  const said: string[] = []
  const progress = progressInto(said)
  const interrupted = new AbortController().signal
  const stack = await raiseStack({
    home: homeAt(home),
    environment: { ...process.env, ...(await freePorts()), ...settings },
    progress,
    interrupted,
  }).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`the stack did not come up; it said: ${said.join('\n')}`, { cause: error })
  })
  return {
    home,
    variables: stack.variables,
    said,
    progress,
    restart: stack.restart,
    remove: async () => {
      await stack.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function progressInto(said: string[]): Progress {
  return {
    heading: text => said.push(text),
    done: (what, detail) => said.push(`done ${what} ${detail}`),
    note: text => said.push(text),
    warn: text => said.push(text),
    fail: text => said.push(`failed ${text}`),
    plain: text => said.push(text),
  }
}

/** All are held until the last is known, so that no two are the same. */
export async function freePorts(): Promise<Record<string, string>> {
  const servers = PORTS.map(() => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => new Promise(resolve => server.once('listening', resolve))))
  const ports = servers.map(server => String((server.address() as AddressInfo).port))
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  const anchors = String(22_000 + Math.floor(Math.random() * 8_000))
  return {
    ...Object.fromEntries(PORTS.map((name, index) => [name, ports[index] ?? ''])),
    ANCHOR_PORT_BASE: anchors,
  }
}
