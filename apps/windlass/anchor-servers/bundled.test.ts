import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKOUT } from '../home.ts'
import { bundledServers, bundleOnce } from './bundled.ts'

const run = promisify(execFile)

describe('an anchor’s servers as bundles', () => {
  let bundled: string
  let elsewhere: string

  beforeAll(async () => {
    bundled = await bundledServers(process.env)
    elsewhere = mkdtempSync(join(tmpdir(), 'windlass-bundles-'))
    cpSync(bundled, elsewhere, { recursive: true })
  })
  afterAll(() => rmSync(elsewhere, { recursive: true, force: true }))

  it('are built once for the same sources', async () => {
    expect(await bundledServers(process.env)).toBe(bundled)
  })

  it('leave nothing of a process that was killed while it built them', async () => {
    const scripts = mkdtempSync(join(tmpdir(), 'windlass-bundler-'))
    const script = join(scripts, 'bundle.mjs')
    writeFileSync(script, "import { mkdirSync } from 'node:fs'\nmkdirSync(process.argv[2])")
    const name = `bundles-of-test-${process.pid}`
    const folder = join(bundled, '..', '..', name)
    const [killed, other] = [`${'0'.repeat(20)}-999999999`, `${'0'.repeat(20)}-${process.pid}`]
    try {
      for (const aside of [killed, other]) mkdirSync(join(folder, aside), { recursive: true })
      await bundleOnce({ name, program: relative(CHECKOUT, script), sources: ['package.json'] }, process.env)
      expect(readdirSync(folder)).toEqual([other, expect.stringMatching(/^[\da-f]{20}$/)])
    } finally {
      for (const made of [scripts, folder]) rmSync(made, { recursive: true, force: true })
    }
  })

  it('can be reached by users of their own where the one who starts lets others do nothing with what it creates', async () => {
    chmodSync(dirname(bundled), 0o700)
    await bundledServers(process.env)
    expect(statSync(dirname(bundled)).mode & 0o011).toBe(0o011)
  })

  it.each(['sep', 'business'])('run with Node alone from any folder: the %s server', async role => {
    const program = join(elsewhere, `${role}.mjs`)
    const ended = await run(process.execPath, [program], { cwd: elsewhere, env: {} }).catch(error => error)
    // It starts far enough to read its settings.
    expect([ended.code, ended.stderr]).toEqual([78, expect.stringMatching(/^\w+-server: \w+ is not set\n$/)])
  })

  it.each(['sep', 'business'])('load no undici of Node’s own: the %s server', async role => {
    const compiled = mkdtempSync(join(tmpdir(), 'windlass-compiled-'))
    const says = 'process.on("exit",()=>console.log(process.moduleLoadList.some(each=>/undici/.test(each))))'
    const program = ['--import', `data:text/javascript,${says}`, join(elsewhere, `${role}.mjs`), '--spare=']
    const spare = spawn(process.execPath, program, {
      cwd: elsewhere,
      env: { NODE_COMPILE_CACHE: compiled },
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    })
    const said = text(spare.stdout as Readable)
    // It has rehearsed then.
    await expect.poll(() => readdirSync(compiled), { timeout: 60_000 }).not.toEqual([])
    ;(spare.stdio[3] as Writable).end()
    expect(await said).toBe('false\n')
    rmSync(compiled, { recursive: true, force: true })
  })

  it('ask for no fetch of Node’s own, beyond what only browsers use', () => {
    for (const role of ['sep', 'business']) {
      const code = readFileSync(join(elsewhere, `${role}.cjs`), 'utf8')
      const uses = code.match(/(?<![.\w$])fetch\(|new (?:Headers|Request|Response|FormData)\(/g) ?? []
      // The default of a client, a read answer that is opened, and all headers of one.
      expect(uses.toSorted()).toEqual(['fetch(', 'new Headers(', 'new Response('])
    }
  })

  it('are in ASCII, of which V8 keeps one byte for each character', () => {
    const programs = readdirSync(elsewhere).filter(file => /[.][cm]js$/.test(file))
    const isAscii = (file: string) => /^[\x00-\x7f]*$/.test(readFileSync(join(elsewhere, file), 'utf8'))
    expect(programs.filter(file => !isAscii(file))).toEqual([])
  })

  it('load their libraries, and nothing that the other server has for itself', () => {
    const loadedBy = (role: string) =>
      [...readFileSync(join(elsewhere, `${role}.cjs`), 'utf8').matchAll(/require\("\.\/([^"]*)"\)/g)].map(
        ([, name = '']) => name,
      )
    for (const role of ['sep', 'business']) {
      expect(loadedBy(role)).toContain(`${role}-libraries.cjs`)
      expect(loadedBy(role).filter(name => !name.startsWith(`${role}-`))).toEqual([])
    }
  })

  it.each(['sep', 'business'])(
    'keep what was compiled until they had rehearsed: the %s server',
    async role => {
      const compiled = mkdtempSync(join(tmpdir(), 'windlass-compiled-'))
      const program = join(elsewhere, `${role}.mjs`)
      const newOf = (before: readonly string[]) =>
        keptFiles(compiled).filter(file => !before.includes(file) && file.startsWith(`${role}.cjs-`))
      const unfinished = () => readdirSync(compiled).filter(file => /\.\d+$/.test(file))
      const rehearse = async (isKept: () => boolean) => {
        const spare = spawn(process.execPath, [program, '--spare='], {
          env: { NODE_COMPILE_CACHE: compiled },
          stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
        })
        await expect.poll(isKept, { timeout: 60_000 }).toBe(true)
        ;(spare.stdio[3] as Writable).end()
        await once(spare, 'exit')
        return keptFiles(compiled)
      }
      try {
        const files = await rehearse(() => newOf([]).length > 0)
        // Another source has code of its own, and that of the one before it goes, as does what a spare left that was killed.
        writeFileSync(join(compiled, `${role}.cjs-0-0.999999999`), '')
        const source = join(elsewhere, `${role}.cjs`)
        writeFileSync(source, readFileSync(source, 'utf8').replace('sourceMappingURL', 'sourceMappingUrl'))
        const later = await rehearse(() => newOf(files).length > 0)
        expect(later).toHaveLength(files.length)
        expect(unfinished()).toEqual([])
        const [kept = '', ...others] = newOf(files)
        expect(others).toEqual([])
        // V8 would take for code what a loss of power left of it.
        const isWhole = () =>
          readFileSync(join(compiled, kept))
            .subarray(-512)
            .some(byte => byte > 0)
        writeFileSync(join(compiled, kept), readFileSync(join(compiled, kept)).fill(0, 10_000))
        expect(isWhole()).toBe(false)
        await rehearse(isWhole)
        // What cannot be kept leaves nothing that each spare would add to, such as on a full disk: here a folder is in its place.
        const libraries = later.find(file => file.startsWith(`${role}-libraries`)) ?? ''
        for (const file of [kept, libraries]) rmSync(join(compiled, file))
        mkdirSync(join(compiled, kept))
        await rehearse(() => existsSync(join(compiled, libraries)))
        expect(unfinished()).toEqual([])
      } finally {
        rmSync(compiled, { recursive: true, force: true })
      }
    },
  )

  it('include the files that they read', () => {
    for (const folder of [
      'packages/service/migrations',
      'apps/sep-server/migrations',
      'apps/business-server/migrations',
      'apps/business-server/interactive/assets',
      'docs/api',
      'docs/problems',
    ]) {
      expect(readdirSync(join(elsewhere, 'files', folder))).toEqual(readdirSync(join(CHECKOUT, folder)))
    }
  })

  it('name only files that they bring along, none of them TypeScript', () => {
    const programs = readdirSync(elsewhere).filter(file => file.endsWith('.cjs'))
    const named = programs.flatMap(program => {
      const code = readFileSync(join(elsewhere, program), 'utf8')
      return [...code.matchAll(/new URL\(["'`](\.\/[^"'`$]*)[^"'`]*["'`],/g)].map(([, path = '']) => path)
    })
    expect(named).toContain('./read-list-thread.cjs')
    expect(named.filter(path => !existsSync(join(elsewhere, path)))).toEqual([])
    const brought = readdirSync(elsewhere, { recursive: true, encoding: 'utf8' })
    expect(brought.filter(file => file.endsWith('.ts'))).toEqual([])
  })

  it('read a sanctions list in the thread that they bundle, below node_modules', async () => {
    const installed = join(elsewhere, 'node_modules', 'anchor-servers')
    cpSync(bundled, installed, { recursive: true })
    const thread = new Worker(join(installed, 'read-list-thread.cjs'), {
      workerData: Buffer.from(`7,"ROSE, Amber","individual","SDGT"${',-0- '.repeat(8)}\r\n`),
    })
    const said: unknown[] = []
    thread.on('message', message => said.push(message))
    expect(await once(thread, 'exit')).toEqual([0])
    expect(said).toMatchObject([
      { head: { source: 'OFAC', names: 1 } },
      { entries: [{ id: '7', names: ['ROSE, Amber'] }] },
      { done: true },
    ])
  })

  it('map stack traces to our own sources and leave out libraries’ maps', () => {
    for (const role of ['sep', 'business']) {
      const { sources }: { sources: string[] } = JSON.parse(
        readFileSync(join(elsewhere, `${role}.cjs.map`), 'utf8'),
      )
      expect(sources.filter(source => source.endsWith(`apps/${role}-server/app.ts`))).toHaveLength(1)
      expect(sources.filter(source => source.includes('node_modules'))).toEqual([])
    }
    expect(readdirSync(elsewhere).filter(file => /libraries.*\.map$/.test(file))).toEqual([])
  })
})

const keptFiles = (folder: string) =>
  readdirSync(folder).filter(name => /\.cjs-[\da-f]+-[\da-f]+$/.test(name))
