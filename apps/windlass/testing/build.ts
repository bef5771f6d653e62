import { bundledServers } from '../anchor-servers/bundled.ts'
import { buildConsole, folderOf } from '../consoles.ts'

/*
 * node build.ts [console]: builds what tests run as it is shipped, a console or anchors' servers, unless it is built
 * already, and prints its folder.
 */
const [name] = process.argv.slice(2)
if (name !== undefined) await buildConsole(name, process.env)
console.log(name === undefined ? await bundledServers(process.env) : folderOf(name))
