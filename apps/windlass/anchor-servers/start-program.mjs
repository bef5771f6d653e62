/*
 * Starts the program that is bundled beside this file under its name: sep.mjs starts sep.cjs. Node's own compile cache keeps
 * what is compiled before a program runs; this one also the functions that ran until the program has rehearsed
 * (docs/adr/0220-compiled-code-is-kept-after-the-rehearsal.md). Without imports: each would have Node read all that a builtin exports.
 */
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule('node:fs')
const { constants, Script } = process.getBuiltinModule('node:vm')
const { createRequire } = process.getBuiltinModule('node:module')
const { join } = process.getBuiltinModule('node:path')
const { pathToFileURL } = process.getBuiltinModule('node:url')
const { crc32 } = process.getBuiltinModule('node:zlib')

const BEGIN = Buffer.from('(function (exports, require, module, __filename, __dirname) {\n')
const END = Buffer.from('\n})')
/** Bytes at the end of a file with code. */
const CHECKSUM = 4
const { dirname: folder, filename: self } = import.meta
const compiledCode = process.env.NODE_COMPILE_CACHE
const requireBuiltin = createRequire(self)
/** Modules by their files' names. */
const loaded = new Map()
/** What is compiled here, by the file that is to keep it. */
const unkept = new Map()

function load(name) {
  const before = loaded.get(name)
  if (before !== undefined) return before.exports
  const module = { exports: {} }
  loaded.set(name, module)
  const file = join(folder, name)
  const run = compile(name, file).runInThisContext()
  run(
    module.exports,
    id => (id.startsWith('./') ? load(id.slice(2)) : requireBuiltin(id)),
    module,
    file,
    folder,
  )
  return module.exports
}

function compile(name, file) {
  // In ASCII, and in memory outside of V8's heap.
  const source = Buffer.concat([BEGIN, readFileSync(file), END]).latin1Slice()
  const kept = compiledCode === undefined ? undefined : keptFile(name, source)
  const cachedData = kept && read(kept)
  const script = new Script(source, {
    cachedData,
    filename: pathToFileURL(file).href,
    // Where the program's text begins.
    lineOffset: -1,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  if (kept && (cachedData === undefined || script.cachedDataRejected)) unkept.set(kept, script)
  return script
}

/** V8 itself compares no more than the length of a source. */
function keptFile(name, source) {
  const { cachedDataVersionTag } = process.getBuiltinModule('node:v8')
  const of = [crc32(source), cachedDataVersionTag()].map(number => number.toString(16))
  return join(compiledCode, `${name}-${of.join('-')}`)
}

/** V8 takes what a loss of power left of it for code. */
function read(file) {
  try {
    const kept = readFileSync(file)
    const code = kept.subarray(0, -CHECKSUM)
    return crc32(code) === kept.readUInt32LE(code.length) ? code : undefined
  } catch {
    return undefined
  }
}

/** Once a spare has rehearsed, as the user that starts servers: nobody else can write there. */
function keep() {
  for (const [file, script] of unkept) {
    const aside = `${file}.${process.pid}`
    try {
      mkdirSync(compiledCode, { recursive: true })
      writeFileSync(aside, withChecksum(script.createCachedData()), { mode: 0o644 })
      renameSync(aside, file)
      removeOthers(file)
    } catch {
      // The next one compiles it again.
      remove(aside)
    }
  }
  unkept.clear()
}

function withChecksum(code) {
  const checksum = Buffer.alloc(CHECKSUM)
  checksum.writeUInt32LE(crc32(code))
  return Buffer.concat([code, checksum])
}

/** The code of earlier sources, and what spares left that ended while they wrote. */
function removeOthers(file) {
  const program = /^(.*\.cjs-)/
  const [, start] = program.exec(file) ?? []
  for (const name of readdirSync(compiledCode)) {
    const other = join(compiledCode, name)
    const [, writer] = /\.(\d+)$/.exec(name) ?? []
    if (other !== file && program.exec(other)?.[1] === start && !isRunning(writer)) remove(other)
  }
}

function remove(file) {
  try {
    rmSync(file, { force: true })
  } catch {
    // The folder is another user's.
  }
}

function isRunning(pid) {
  if (pid === undefined) return false
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

load(self.slice(folder.length + 1).replace(/\.mjs$/, '.cjs'))
if (unkept.size > 0)
  process.getBuiltinModule('node:diagnostics_channel').subscribe('windlass.rehearsed', keep)
