import { readFlags, type Command } from '../command.ts'
import { requireNoProduction } from '../production-home.ts'
import { anchorContainers, prepareStack } from './compose.ts'

export const stackDown: Command = {
  summary: 'stops the stack in containers; --volumes also removes the database and all other volumes',
  usage: `npm run stack:down [-- --volumes]

Removes the containers of the platform and of anchors' servers, and their network. What they keep stays in volumes;
the next npm run stack:up continues with it.
  --volumes   also removes the volumes: databases, anchors' files, routes, mails, the local ledger.
              Refused where the stack was started with DEPLOYMENT=production`,
  run: async context => {
    const { flags } = readFlags(context.args, ['volumes'])
    if (flags.volumes) requireNoProduction(context.home)
    const stack = await prepareStack(context, { tls: true, keepsSettings: true })
    // The control plane first: it would restart anchors' servers.
    await stack.compose('stop', 'control-plane', 'control-plane-2')
    const anchors = await anchorContainers(stack)
    if (anchors.length > 0) await stack.docker('rm', '--force', '--volumes', ...anchors)
    await stack.compose('down', '--remove-orphans', ...(flags.volumes ? ['--volumes'] : []))
    return 0
  },
}
