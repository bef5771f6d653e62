import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { freePortBase, freePorts } from '@windlass/testing/free-ports.ts'
import { homeAt } from '@windlass/windlass/home.ts'
import type { Progress } from '@windlass/windlass/progress.ts'
import { raiseStack, type Stack } from '@windlass/windlass/stack.ts'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
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
  'BACKUPS_PORT',
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

/**
 * The whole of Windlass as `npm start` brings it up with these settings, on free ports and in a folder of its own.
 *
 * @param shelf where the folder is made
 */
export async function raiseWholeStack(
  settings: Record<string, string> = {},
  shelf = fastFolder(),
): Promise<RaisedStack> {
  const folder = mkdtempSync(join(shelf, 'windlass-e2e-'))
  // Postgres runs as another user where the tests run as root.
  chmodSync(folder, 0o755)
  const home = join(folder, 'home')
  const said: string[] = []
  const progress = progressInto(said)
  const interrupted = new AbortController().signal
  const stack = await raiseStack({
    home: homeAt(home),
    environment: { ...process.env, ...(await choosePorts()), ...settings },
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

/** Chooses the ports of a stack. */
export async function choosePorts(): Promise<Record<string, string>> {
  const ports = await freePorts(PORTS.length)
  return {
    ...Object.fromEntries(PORTS.map((name, index) => [name, String(ports[index])])),
    ANCHOR_PORT_BASE: String(freePortBase()),
  }
}
