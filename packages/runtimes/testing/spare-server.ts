import { becomeServer } from '@windlass/service/process/spare.ts'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'

/*
 * An anchor's server as far as a runtime knows one: it logs who it is and answers with its id. One that has
 * rehearsed is in another folder.
 */
let rehearsed = false
const serving = await becomeServer(process.env, async () => {
  rehearsed = true
  process.chdir(tmpdir())
  throw new Error('a rehearsal that fails does not keep a spare from serving')
})
const { pid, env } = process
console.log(
  JSON.stringify({
    pid,
    rehearsed,
    env,
    folder: process.cwd(),
    uid: process.getuid?.(),
    gid: process.getgid?.(),
    groups: process.getgroups?.(),
  }),
)
createServer((_, response) => response.end(String(pid))).listen(Number(env.PORT), '127.0.0.1', serving)
