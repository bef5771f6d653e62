import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const PLACE = /^([\w-]+\.[cm]js):(\d+):(\d+)/
const [, program = ''] = process.argv
const PROGRAM_FOLDER = existsSync(program) ? dirname(realpathSync(program)) : ''
const maps = new Map<string, SourceMap>()

/**
 * A stack trace that names our sources where it named bundled files (`….mjs` with `….mjs.map` beside it, or `.cjs`, in the
 * folder of the program). A map is read when the first trace needs it: Node's own `--enable-source-maps` reads all of them whenever a
 * server loads, which is a quarter or more of the processor time that loading takes.
 */
export function atSources(stack: string, folder = PROGRAM_FOLDER): string {
  const beside = `${pathToFileURL(folder).href}/`
  const [start = '', ...places] = stack.split(beside)
  const named = places.map(text => {
    const [place = '', name = '', line, column] = PLACE.exec(text) ?? []
    const found = place && mapOf(join(folder, name))?.findEntry(Number(line) - 1, Number(column) - 1)
    if (!found || !('originalSource' in found)) return `${beside}${text}`
    const source = fileURLToPath(new URL(found.originalSource, beside))
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}${text.slice(place.length)}`
  })
  return [start, ...named].join('')
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) readMap(file)
  return maps.get(file)
}

function readMap(file: string): void {
  try {
    const text = readFileSync(`${file}.map`, 'utf8')
    maps.set(file, new SourceMap(JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0]))
  } catch {
    // It has none.
  }
}
