import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastFolder } from '../run.ts'

/* Leaves a process in a session of its own and files, and ends as its argument says: `well`, `badly` or `never`. */

const [how = '', told = ''] = process.argv.slice(2)
const forever = ['-e', 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000)']
const child = spawn(process.execPath, forever, { detached: true, stdio: 'ignore' })
child.unref()
for (const folder of [tmpdir(), fastFolder ?? '']) writeFileSync(join(folder, 'trace'), 'x')
writeFileSync(told, JSON.stringify({ pid: child.pid, folders: [tmpdir(), fastFolder] }))
if (how === 'badly') throw new Error('it went badly')
if (how === 'never') setInterval(() => undefined, 1_000)
