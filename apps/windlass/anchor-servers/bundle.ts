import { cpSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { CHECKOUT } from '../home.ts'
import { SOURCES } from './sources.ts'
import { writePrograms } from './write-programs.ts'

/*
 * node bundle.ts <folder> writes both of an anchor's servers into a folder that needs nothing beside Node: sep.mjs and
 * business.mjs, which start sep.cjs and business.cjs, npm packages in …-libraries.cjs without unused code, the files read at
 * run time, the modules loaded on demand, and the script of the anchor's public page.
 */

const SERVERS = { sep: 'apps/sep-server/main.ts', business: 'apps/business-server/main.ts' }
const SERVED = 'apps/sep-server/sep1/try-deposit'
const FILE_BESIDE = /new URL\((['`])(\.[^'`$]*)([^'`]*)\1, import\.meta\.url\)/g

/** Each server in a file of its own, beside its libraries: what two share is then no property that is looked up. */
async function bundle(folder: string, [name, program]: [string, string]): Promise<void> {
  await writePrograms(folder, {
    input: { [name]: program },
    format: 'cjs',
    prefix: `${name}-`,
    plugins: [keepToSources(), bringFilesAlong(folder)],
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: 'libraries', test: /node_modules/, tags: ['$initial'] }],
    },
  })
  cpSync(new URL('./start-program.mjs', import.meta.url), join(folder, `${name}.mjs`))
}

/** What the SEP server serves to browsers, into a folder that its sources name and do not have. */
async function bundlePage(folder: string): Promise<void> {
  const build = await rolldown({
    input: 'packages/ramp/try-deposit/page.ts',
    cwd: CHECKOUT,
    platform: 'browser',
    plugins: [keepToSources()],
  })
  await build.write({
    dir: join(folder, 'files', SERVED),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
  })
  await build.close()
}

const isOurs = (file: string) => file.startsWith(CHECKOUT + sep) && !file.includes('node_modules')

/** Files that sources.ts does not list could change without a rebuild. */
function keepToSources(): Plugin {
  return {
    name: 'keep-to-sources',
    transform(_code, id) {
      if (isOurs(id) && !isSource(id)) this.error(`${id} is not among the sources that sources.ts lists`)
      return null
    },
  }
}

const isSource = (file: string) =>
  SOURCES.some(source => `${relative(CHECKOUT, file)}${sep}`.startsWith(source.replaceAll('/', sep) + sep))

/**
 * Copies files that a module of ours names by `new URL('./…', import.meta.url)`, or the folder that holds them. A
 * program that is named so, such as a thread's, is bundled as well: Node runs no TypeScript below node_modules.
 */
function bringFilesAlong(folder: string): Plugin {
  return {
    name: 'bring-files-along',
    transform(code, id) {
      if (!isOurs(id) || !code.includes('import.meta')) return null
      const moved = code.replace(FILE_BESIDE, (_, quote: string, start: string, rest: string) => {
        const named = resolve(dirname(id), start)
        if (named.endsWith('.ts')) {
          this.emitFile({ type: 'chunk', id: named, fileName: programOf(named) })
          return `new URL('./${programOf(named)}', import.meta.url)`
        }
        const held = start.endsWith('/') || statSync(named).isDirectory() ? named : dirname(named)
        if (!isSource(held)) this.error(`${id} reads ${held}, which sources.ts does not list`)
        const kept = (file: string) => !file.endsWith('.ts')
        if (relative(CHECKOUT, held) !== SERVED)
          cpSync(held, join(folder, 'files', relative(CHECKOUT, held)), { recursive: true, filter: kept })
        const path = `./files/${relative(CHECKOUT, named).replaceAll(sep, '/')}${start.endsWith('/') ? '/' : ''}`
        return `new URL(${quote}${path}${rest}${quote}, import.meta.url)`
      })
      if (/import\.meta(?!\.url\))/.test(moved)) this.error(`${id} asks for its own place in another way`)
      return { code: moved, map: null }
    },
  }
}

const programOf = (source: string) => basename(source).replace(/\.ts$/, '.cjs')

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: bundle.ts <folder>')
await Promise.all([
  ...Object.entries(SERVERS).map(server => bundle(resolve(target), server)),
  bundlePage(resolve(target)),
])
