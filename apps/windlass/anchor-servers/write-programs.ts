import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { CHECKOUT } from '../home.ts'
import { inAscii, mappingsInAscii } from './in-ascii.ts'

interface Programs {
  /** By name, relative to the checkout. */
  input: Record<string, string>
  /** Packages that stay where npm installed them, beside `pg-native`. */
  external?: readonly string[]
  plugins: Plugin[]
  /** By default modules of ECMAScript, `<name>.mjs`; `cjs`: what `start-program.mjs` loads, `<name>.cjs`. */
  format?: 'esm' | 'cjs'
  /** Begins the names of what the programs share and load later. */
  prefix?: string
  codeSplitting?: OutputOptions['codeSplitting']
}

/** Writes programs, with what they share and source maps beside them. */
export async function writePrograms(
  folder: string,
  { input, external = [], plugins, format = 'esm', prefix = '', codeSplitting }: Programs,
): Promise<void> {
  // Users of services and of anchors' servers read them, whatever the one who builds lets others read.
  process.umask(0o022)
  const ending = format === 'esm' ? 'mjs' : 'cjs'
  const options: InputOptions = {
    input,
    cwd: CHECKOUT,
    platform: 'node',
    // pg imports pg-native in a try block.
    external: ['pg-native', ...external],
    plugins: [...plugins, leanHttp()],
    onLog: (level, log) => {
      if (level === 'warn' && log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
    },
  }
  const build = await rolldown(options)
  const { output } = await build.write({
    dir: folder,
    format,
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `${prefix}[name].${ending}`,
    // Names are kept for stack traces.
    minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    sourcemap: true,
    sourcemapExcludeSources: true,
    ...(codeSplitting !== undefined && { codeSplitting }),
  })
  const written = output.map(({ fileName }) => fileName)
  for (const file of written.filter(name => name.endsWith(`.${ending}`))) {
    // Only our own sources matter in a stack trace.
    if (file.startsWith(`${prefix}libraries`)) rmSync(join(folder, `${file}.map`), { force: true })
    writeInAscii(join(folder, file))
  }
  await build.close()
}

function writeInAscii(program: string): void {
  const code = readFileSync(program, 'utf8')
  const map = `${program}.map`
  if (existsSync(map)) {
    const { mappings, ...rest } = JSON.parse(readFileSync(map, 'utf8')) as { mappings: string }
    writeFileSync(map, JSON.stringify({ ...rest, mappings: mappingsInAscii(mappings, code) }))
  }
  writeFileSync(program, inAscii(code))
}

/**
 * An `import` of `node:http` reads all of its exports, WebSocket among them, for which Node loads its own undici: 6.5 MB in
 * each process.
 */
function leanHttp(): Plugin {
  // Beside the libraries that need it.
  const lean = '\0node_modules/http'
  return {
    name: 'lean-http',
    resolveId: id => (/^(?:node:)?http$/.test(id) ? lean : null),
    load: id => (id === lean ? "module.exports = process.getBuiltinModule('node:http')" : null),
  }
}
