#!/usr/bin/env node
const oldest = [22, 13] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  console.error(`local-network needs Node ${oldest.join('.')} or later; this is ${process.version}.`)
  process.exit(1)
}
// Loaded only now: an older Node has no node:sqlite.
const { run } = await import('./run.ts')
await run(process.argv.slice(2), process.env)
