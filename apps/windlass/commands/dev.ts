import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, join } from 'node:path'
import { buildEnvironment } from '../built-from.ts'
import { type Command, readFlags, UsageError } from '../command.ts'
import { CHECKOUT } from '../home.ts'
import { requested } from '../interruption.ts'
import { readLock } from '../run-files.ts'
import { SERVICES } from '../services.ts'

const SERVER = join(CHECKOUT, 'packages', 'ui', 'testing', 'dev-server.ts')
/** Above the port of the stack's own console. */
const PORTS_APART = 1000

const CONSOLES = SERVICES.flatMap(({ frontEnd, ports: [port] }) =>
  frontEnd?.startsWith('apps/') && port ? [{ folder: frontEnd, name: basename(frontEnd), port }] : [],
)

export const dev: Command = {
  summary: 'serves the consoles from their sources, with hot reload',
  usage: `npm run dev -- [${CONSOLES.map(({ name }) => name).join(' | ')}] [--recorded]

Serves all consoles or one of them from their sources: a change of a file is on the screen within a second, without a
build. Ports: 1000 above the stack's own, so 5001, 5002 and 5003. Requests go to the running stack, whose data and
sessions these pages share. Where none runs, or with --recorded, answers are those of the consoles' tests. Passkeys
and what a build adds (pages as HTML, compression, the content security policy) are not there. Ctrl-C stops it.`,
  run: async ({ args, environment, home }) => {
    const { flags, words } = readFlags(args, ['recorded'], 1)
    const chosen = CONSOLES.filter(({ name }) => words.length === 0 || words[0] === name)
    if (chosen.length === 0) throw new UsageError(`Unknown console "${words[0]}".`)
    const stack = flags.recorded ? undefined : await readLock(home.run)
    const interruption = requested()
    const servers = chosen.map(({ folder, port: [variable, fallback] }) => {
      const port = Number(stack?.variables[variable] ?? environment[variable] ?? fallback)
      const address = stack?.ready ? [`http://localhost:${port}`] : []
      return spawn(
        process.execPath,
        [SERVER, join(CHECKOUT, folder), String(port + PORTS_APART), ...address],
        {
          stdio: 'inherit',
          env: { ...buildEnvironment(environment), NODE_ENV: 'development' },
        },
      )
    })
    const failed = Promise.race(servers.map(server => once(server, 'exit'))).then(() => 1)
    const code = await Promise.race([failed, interruption.happened.then(() => 0)])
    for (const server of servers) server.kill()
    return code
  },
}
