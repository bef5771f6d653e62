import { bundledServers } from '../anchor-servers/bundled.ts'
import { buildFrontEnd, folderOf } from '../front-ends.ts'

/*
 * node build.ts [folder]: builds what tests run as it is shipped, a front end or anchors' servers, unless it is built
 * already, and prints its folder.
 */
const [frontEnd] = process.argv.slice(2)
if (frontEnd !== undefined) await buildFrontEnd(frontEnd, process.env)
console.log(frontEnd === undefined ? await bundledServers(process.env) : folderOf(frontEnd))
