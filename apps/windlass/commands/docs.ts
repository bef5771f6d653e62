import { listSite } from '@windlass/service/http/docs-site/pages.ts'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Command, readFlags, UsageError } from '../command.ts'

export const docs: Command = {
  summary: 'writes the documentation as a site of static files',
  usage: `npm run docs -- FOLDER

Writes the pages that a running stack serves at /docs/site/ of the platform API into FOLDER, which must be empty or not
exist: guides, runbooks, problems, decisions, the reference of each API, search and llms.txt. Links are relative: any web
server serves them, below any path. Needs no running stack and no network.`,
  run: async ({ args, progress }) => {
    const [word] = readFlags(args, [], 1).words
    if (word === undefined) throw new UsageError('Name the folder')
    const folder = resolve(word)
    mkdirSync(folder, { recursive: true })
    if (readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty`)
    const files = listSite()
    for (const { path, make } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), await make())
    }
    progress.done('written', `${files.length} files in ${folder}`)
    return 0
  },
}
