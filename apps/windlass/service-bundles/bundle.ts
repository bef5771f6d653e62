import { readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'rolldown'
import { writePrograms } from '../anchor-servers/write-programs.ts'
import { CHECKOUT, COMPILE_CACHE } from '../home.ts'
import { BACKUPS, SERVICES } from '../services.ts'

/*
 * node bundle.ts <folder> writes the stack's services as bundles, such as control-plane.mjs: each has one to three thousand
 * modules. Files beside a module are read where its source is.
 */

const OWN_PLACE = /new URL\('\.\/([\w/-]+)\.ts', import\.meta\.url\)|import\.meta\.?(\w*)/g

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: bundle.ts <folder>')
const input = Object.fromEntries([...SERVICES, BACKUPS].map(({ name, script }) => [name, script]))
await writePrograms(resolve(target), {
  input,
  // They have native parts, or read files beside themselves.
  external: ['@node-rs/argon2', 'dockerode'],
  plugins: [keepPlaces()],
})
for (const name of Object.keys(input)) forgetCompiled(join(COMPILE_CACHE, name))

/** A module of ours knows its source's place; a program that it names, such as a thread's, is bundled as well. */
function keepPlaces(): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(CHECKOUT + sep) || id.includes('node_modules') || !code.includes('import.meta'))
        return null
      const places: Record<string, string> = { url: pathToFileURL(id).href, dirname: dirname(id) }
      const placed = code.replace(OWN_PLACE, (_, program: string | undefined, what: string) => {
        if (program === undefined)
          return JSON.stringify(places[what] ?? this.error(`${id} asks for its own place in another way`))
        const fileName = `${program.replaceAll('/', '-')}.mjs`
        this.emitFile({ type: 'chunk', id: join(dirname(id), `${program}.ts`), fileName })
        return `new URL('./${fileName}', import.meta.url)`
      })
      return { code: placed, map: null }
    },
  }
}

/** Node never removes what it compiled of earlier bundles, ten megabytes of each. */
function forgetCompiled(folder: string): void {
  try {
    for (const version of readdirSync(folder)) rmSync(join(folder, version), { recursive: true })
  } catch {
    // None is there, or it is another user's.
  }
}
