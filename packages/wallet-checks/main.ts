#!/usr/bin/env node
const oldest = [22, 19] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  console.error(`wallet-checks needs Node ${oldest.join('.')} or later; this is ${process.version}.`)
  process.exit(2)
}
// Loaded only now: its client of HTTP ends in an older Node without a word why.
const { run } = await import('./command.ts')
const { useProxies } = await import('@windlass/service/outbound/proxy.ts')
await useProxies(process.env)
process.exitCode = await run(process.argv.slice(2))
