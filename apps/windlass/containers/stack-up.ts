import { setTimeout as sleep } from 'node:timers/promises'
import { OWN_POSTGRES_BACKUP } from '../backups/create.ts'
import type { Variables } from '../base-env.ts'
import { readFlags, UsageError, type Command } from '../command.ts'
import { showMainJob } from '../commands/demo.ts'
import { overview } from '../overview.ts'
import { prepareStack, type ComposeStack } from './compose.ts'
import { IMAGE } from './environments.ts'
import { isOutdated, isReplaceable, removeSecondContainers, replacePart, runningParts } from './replace.ts'

const HEALTHY_WITHIN_MS = 240_000

export const stackUp: Command = {
  summary: 'starts the stack in containers of a Docker Engine',
  usage: `npm run stack:up [-- --tls --no-build --demo]

Generates the base env file if it is missing, builds the image and starts every part in a container of its own.
Anchors become containers beside them. Ports can be moved by the same variables as for npm start.
Where the stack runs already, parts whose image or settings changed are replaced one after the other: a second container
takes a part's requests meanwhile. If it does not become healthy, the old one continues and nothing further is replaced.
  --tls       puts Caddy in front, with certificates for every host that exists (see docs/guides/deploy.md)
  --no-build  takes the image as it was built last
  --demo      runs the whole story over the public HTTP interfaces; exit code 0 only if every step passed`,
  run: async context => {
    const { progress } = context
    const { flags } = readFlags(context.args, ['tls', 'no-build', 'demo'])
    if (flags.tls && flags.demo)
      throw new UsageError('The demo uses http to reach anchors. Leave out one of the two flags.')
    const stack = await prepareStack(context, { tls: flags.tls })
    if (!flags['no-build'])
      await stack.docker('build', '-f', 'deploy/Dockerfile', '--target', 'compiled', '-t', IMAGE, '.')
    const parts = [...stack.services.map(({ name }) => name), ...(flags.tls ? ['caddy'] : [])]
    const replaced = await replaceRunning(stack, title => progress.done(title, 'replaced'))
    const others = parts.filter(name => !replaced.includes(name))
    await stack.compose(
      'up',
      '-d',
      '--remove-orphans',
      ...(replaced.length > 0 ? ['--no-deps'] : []),
      ...others,
    )
    await removeSecondContainers(stack)
    const silent = await untilHealthy(stack)
    if (silent.length > 0) {
      progress.fail(`${silent.join(', ')} did not become healthy; see docker logs windlass-<name>`)
      return 1
    }
    if (replaced.length === 0) await stack.docker('start', '--attach', 'windlass-databases')
    const addresses = publicAddresses(stack)
    const held = !flags.demo || (await showMainJob(addresses, context))
    progress.plain(`\n${overview(addresses, addresses.DEPLOYMENT === 'local', true)}\n`)
    if (addresses.BACKUP_TO) progress.warn(`BACKUP_TO makes no backups here. ${OWN_POSTGRES_BACKUP}`)
    progress.plain('Stop it with: npm run stack:down')
    return held ? 0 : 1
  },
}

/** Parts that run, of which the outdated ones are replaced: their names. */
async function replaceRunning(stack: ComposeStack, replaced: (title: string) => void): Promise<string[]> {
  const running = (await runningParts(stack)).filter(isReplaceable)
  if (running.length === 0) return []
  // What the parts of a new release may need.
  await stack.compose('up', '-d', 'postgres')
  await stack.compose('up', '-d', '--force-recreate', '--no-deps', 'databases')
  await stack.docker('start', '--attach', 'windlass-databases')
  for (const part of running) {
    if (!(await isOutdated(stack, part))) continue
    await replacePart(stack, part, () =>
      stack.compose('up', '-d', '--no-deps', '--force-recreate', part.name),
    )
    replaced(part.title)
  }
  return running.map(({ name }) => name)
}

/** Names of parts that did not answer in time. */
async function untilHealthy({ ports, services }: ComposeStack): Promise<string[]> {
  const until = performance.now() + HEALTHY_WITHIN_MS
  const outcomes = await Promise.all(
    services.map(async ({ name, ports: [first], health }) => {
      const url = `http://127.0.0.1:${ports[first?.[0] ?? '']}${health}`
      while (performance.now() < until) {
        const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) }).catch(
          () => null,
        )
        if (answer?.ok) return []
        await sleep(500)
      }
      return [name]
    }),
  )
  return outcomes.flat()
}

/** Addresses as this machine reaches them, not as containers do. */
function publicAddresses({ variables, ports, services }: ComposeStack): Variables {
  const at = (name: string) => `http://localhost:${ports[name]}`
  const ownNetwork = {
    HORIZON_URL: at('LOCAL_NETWORK_PORT'),
    FRIENDBOT_URL: `${at('LOCAL_NETWORK_PORT')}/friendbot`,
  }
  return {
    ...variables,
    ...ports,
    PLATFORM_URL: at('PLATFORM_API_PORT'),
    CONTROL_PLANE_URL: at('CONTROL_PLANE_PORT'),
    AGGREGATOR_URL: at('AGGREGATOR_PORT'),
    PROXY_ADMIN_URL: at('DASHBOARD_PORT'),
    SECRETS_ENDPOINT: at('SECRETS_STORE_PORT'),
    SIGNER_URL: at('SIGNER_PORT'),
    ...(services.some(({ name }) => name === 'local-network') && ownNetwork),
    LEDGER_GATEWAY_URL: at('LEDGER_GATEWAY_PORT'),
    SMTP_URL: `smtp://localhost:${ports.SMTP_PORT}`,
    ANCHOR_INGRESS: `http://127.0.0.1:${ports.PROXY_PORT}`,
  }
}
