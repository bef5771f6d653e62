/** A server that reports what it sees; /end exits. */
export const PROGRAM = `
const { readFileSync, writeFileSync } = require('node:fs')
const attempt = act => { try { return act() ?? 'done' } catch (error) { return error.code } }
if (process.argv.includes('--migrate')) {
  console.log('migrating ' + readFileSync(process.env.SIGNING_KEY_FILE, 'utf8'))
  process.exit(Number(process.env.MIGRATION_EXITS ?? 0))
}
console.log('up')
console.error('at ' + process.env.PORT)
require('node:http').createServer((request, response) => {
  if (request.url === '/end') process.exit(3)
  response.end(JSON.stringify({
    env: process.env,
    uid: process.getuid(),
    secret: attempt(() => readFileSync(process.env.SIGNING_KEY_FILE, 'utf8')),
    overwriteSecret: attempt(() => writeFileSync(process.env.SIGNING_KEY_FILE, 'x')),
    writeRoot: attempt(() => writeFileSync('/usr/x', 'x')),
    writeTmp: attempt(() => writeFileSync('/tmp/x', 'x')),
    status: readFileSync('/proc/self/status', 'utf8'),
  }))
}).listen(process.env.PORT, process.env.BIND_HOST)
`

export const PROBE_PORT = 8099

/** Stands for the platform: on each node, on the network that it shares with anchors' servers. */
export const PROBE = `require('node:http').createServer(async (request, response) => {
  const url = new URL(request.url, 'http://here').searchParams.get('url')
  const answer = await fetch(url, { signal: AbortSignal.timeout(3000) }).catch(error => error)
  response.statusCode = answer instanceof Error ? 502 : answer.status
  response.end(answer instanceof Error ? String(answer.cause ?? answer) : await answer.text())
}).listen(${PROBE_PORT})`
