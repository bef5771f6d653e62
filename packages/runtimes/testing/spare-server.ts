import { becomeServer } from '@windlass/service/spare.ts'
import { createServer } from 'node:http'

/* An anchor's server as far as a runtime knows one: it logs who it is and answers with its id. */
const serving = await becomeServer(process.env, async () => undefined)
const { pid, env } = process
console.log(
  JSON.stringify({
    pid,
    env,
    folder: process.cwd(),
    uid: process.getuid?.(),
    gid: process.getgid?.(),
    groups: process.getgroups?.(),
  }),
)
createServer((_, response) => response.end(String(pid))).listen(Number(env.PORT), '127.0.0.1', serving)
