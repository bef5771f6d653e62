import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { type Command, readFlags, UsageError } from '../command.ts'
import { CHECKOUT } from '../home.ts'

export const openExport: Command = {
  summary: "opens the export of a removed anchor's data with its founder's key",
  usage: `npm run export:open -- EXPORT.tar.gz KEY FOLDER

Unpacks an export into FOLDER, which must not exist, compares its tables with its manifest, and opens what is encrypted
in them (names, accounts, documents, travel records, payout files) with the private key in the file KEY, which
\`npm run export:key\` made. The tables with their texts are below FOLDER/opened. Needs no running stack. Exit codes: 0
opened, 1 the export is damaged, or something in it cannot be opened.`,
  run: async ({ args, progress }) => {
    const [archive, key, folder] = readFlags(args, [], 3).words
    if (!archive || !key || !folder) throw new UsageError('Name the export, the file of the key and a folder')
    if (existsSync(folder)) throw new UsageError(`${folder} exists already`)
    await unpack(archive, folder)
    const damaged = await damagedTables(folder)
    if (damaged.length > 0) {
      progress.plain(`damaged: ${damaged.join(', ')}`)
      return 1
    }
    if (!existsSync(join(folder, 'keys.sealed'))) {
      progress.plain(
        'The anchor had no export key when it was removed, so nothing in its export can be opened.',
      )
      return 1
    }
    let failures = 0
    for (const app of ['business-server', 'sep-server']) {
      const script = join(CHECKOUT, 'apps', app, 'open-export.ts')
      const { stdout } = await promisify(execFile)(process.execPath, [script, folder, key])
      const tables = JSON.parse(stdout) as Record<string, { rows: number; failed: number }>
      for (const [table, { rows, failed }] of Object.entries(tables)) {
        progress.plain(
          `${table}: ${rows} rows${failed > 0 ? `, of which ${failed} values cannot be opened` : ''}`,
        )
        failures += failed
      }
    }
    return failures === 0 ? 0 : 1
  },
}

/** Only names inside the folder are written. */
async function unpack(archive: string, folder: string): Promise<void> {
  const root = resolve(folder)
  const files = extract()
  const reading = pipeline(createReadStream(archive), createGunzip(), files)
  const writing = (async () => {
    for await (const entry of files) {
      const path = resolve(root, entry.header.name)
      if (!path.startsWith(`${root}${sep}`))
        throw new Error(`the export has a file outside: ${entry.header.name}`)
      makePrivateFolder(dirname(path))
      await pipeline(entry, createWriteStream(path, { mode: 0o600 }))
    }
  })()
  await Promise.all([reading, writing])
}

interface Manifest {
  tables: { file: string; sha256: string }[]
}

async function damagedTables(folder: string): Promise<string[]> {
  const { tables } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest
  const damaged: string[] = []
  for (const { file, sha256 } of tables) {
    const hash = createHash('sha256')
    if (existsSync(join(folder, file)))
      for await (const chunk of createReadStream(join(folder, file))) hash.update(chunk as Buffer)
    if (hash.digest('hex') !== sha256) damaged.push(file)
  }
  return damaged
}
