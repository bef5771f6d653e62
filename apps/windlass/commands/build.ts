import { basename, relative } from 'node:path'
import { bundledServers } from '../anchor-servers/bundled.ts'
import { type Command, readFlags } from '../command.ts'
import { buildFrontEnd } from '../front-ends.ts'
import { CHECKOUT } from '../home.ts'
import { bundledServices } from '../service-bundles/bundled.ts'
import { SERVICES } from '../services.ts'

export const build: Command = {
  summary:
    'builds the consoles, the ramp, services and anchors’ servers (npm start does so when they are missing or outdated)',
  usage: 'npm run build',
  run: async ({ args, environment, progress }) => {
    readFlags(args, [])
    for (const { frontEnd } of SERVICES) {
      if (!frontEnd) continue
      const began = performance.now()
      const built = await buildFrontEnd(frontEnd, environment)
      progress.done(basename(frontEnd), built ? 'built' : 'is up to date', performance.now() - began)
    }
    const bundles = { services: bundledServices, 'anchors’ servers': bundledServers }
    for (const [what, bundle] of Object.entries(bundles)) {
      const began = performance.now()
      const folder = await bundle(environment)
      progress.done(what, relative(CHECKOUT, folder), performance.now() - began)
    }
    return 0
  },
}
