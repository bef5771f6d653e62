import { bundledServers } from '../anchor-servers/bundled.ts'
import { buildFrontEnd, folderOf } from '../front-ends.ts'
import { bundledServices } from '../service-bundles/bundled.ts'

/*
 * node build.ts [folder [mode] | services]: builds what tests run, a front end or anchors' servers as they are shipped,
 * or the platform's services, unless it is built already, and prints its folder.
 */
async function build(what: string | undefined, mode: string | undefined): Promise<string> {
  if (what === undefined) return bundledServers(process.env)
  if (what === 'services') return bundledServices(process.env)
  await buildFrontEnd(what, process.env, undefined, mode)
  return folderOf(what, mode)
}

console.log(await build(process.argv[2], process.argv[3]))
