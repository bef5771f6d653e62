import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/*
 * `npm run bench` runs every benchmark of this folder, one after the other; `npm run bench -- NAME …` those named,
 * with what follows `--` handed on. Each prints ratios beside their goals; the exit code tells whether all ran.
 */

const folder = fileURLToPath(new URL('.', import.meta.url))
const all = readdirSync(folder)
  .filter(file => file.endsWith('.ts') && file !== 'main.ts')
  .map(file => file.slice(0, -3))
const given = process.argv.slice(2)
const firstFlag = given.findIndex(argument => argument.startsWith('-'))
const names = firstFlag === -1 ? given : given.slice(0, firstFlag)
const flags = firstFlag === -1 ? [] : given.slice(firstFlag)

const unknown = names.filter(name => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${all.join(', ')}.`)
  process.exit(2)
}
for (const name of names.length > 0 ? names : all) {
  console.log(`\n── ${name}`)
  const child = spawn(process.execPath, [`${folder}${name}.ts`, ...flags], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) process.exitCode = 1
}
