import { basename, relative } from 'node:path'
import { bundledServers } from '../anchor-servers/bundled.ts'
import { type Command, readFlags } from '../command.ts'
import { buildFrontEnd } from '../front-ends.ts'
import { CHECKOUT } from '../home.ts'
import { SERVICES } from '../services.ts'

export const build: Command = {
  summary:
    'builds the consoles, the ramp and anchors’ servers (npm start does so when they are missing or outdated)',
  usage: 'npm run build',
  run: async ({ args, environment, progress }) => {
    readFlags(args, [])
    for (const { frontEnd } of SERVICES) {
      if (!frontEnd) continue
      const began = performance.now()
      const built = await buildFrontEnd(frontEnd, environment)
      progress.done(basename(frontEnd), built ? 'built' : 'is up to date', performance.now() - began)
    }
    const began = performance.now()
    const servers = await bundledServers(environment)
    progress.done('anchors’ servers', relative(CHECKOUT, servers), performance.now() - began)
    return 0
  },
}
