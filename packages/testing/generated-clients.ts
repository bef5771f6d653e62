import openapiTS, { astToString } from 'openapi-typescript'
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { works } from './installed.ts'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** A program that uses a client generated from a document of docs/api. */
export interface Story {
  document: string
  /** The program's file. It imports the client by the document's name and is given `args`. */
  program: string
  args: string[]
  /** Clients of every other document are generated too, and compiled. */
  everyDocument?: true
  environment?: Record<string, string>
  /** Further modules of Go, as `path@version`. */
  modules?: string[]
}

/** Generates a client, compiles the story with it and runs it. Returns what it writes; throws what went wrong. */
export type Tell = (story: Story) => Promise<string>

const DOCUMENTS = ['wallet', 'aggregator', 'developer', 'platform', 'internal']

const documentsOf = ({ document, everyDocument }: Story) => (everyDocument ? DOCUMENTS : [document])

const environmentOf = ({ environment }: Story) => ({ ...process.env, ...environment })

/** openapi-typescript and openapi-fetch, compiled strictly. */
export const tellInTypeScript: Tell = story =>
  inFolder(async folder => {
    const names = documentsOf(story)
    for (const name of names)
      writeFileSync(join(folder, `${name}.ts`), astToString(await openapiTS(fileOf(name))))
    copyFileSync(story.program, join(folder, 'story.ts'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
    const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext']
    options.push('--allowImportingTsExtensions', '--types', 'node')
    await said(
      run(process.execPath, [compiler, ...options, 'story.ts', ...names.map(name => `${name}.ts`)], {
        cwd: folder,
      }),
    )
    const inside = { cwd: folder, env: environmentOf(story) }
    return said(run(process.execPath, ['story.ts', ...story.args], inside))
  })

/** openapi-python-client; null where it is not installed. */
export function python(): Tell | null {
  if (!works('openapi-python-client', '--version') || !works('python3', '-c', 'import httpx, attrs'))
    return null
  return story =>
    inFolder(async folder => {
      for (const name of documentsOf(story)) {
        await writeOpenApi30(name, join(folder, `${name}.json`))
        const from = ['generate', '--meta', 'none', '--path', join(folder, `${name}.json`)]
        // Beside the story a package `platform` would hide Python's own module.
        const place = name === story.document ? folder : join(folder, 'others')
        mkdirSync(place, { recursive: true })
        await said(run('openapi-python-client', [...from, '--output-path', join(place, name)]))
      }
      await said(run('python3', ['-m', 'compileall', '-q', '.'], { cwd: folder }))
      copyFileSync(story.program, join(folder, 'story.py'))
      return said(run('python3', ['story.py', ...story.args], { cwd: folder, env: environmentOf(story) }))
    })
}

/** oapi-codegen, which reads OpenAPI 3.0; null where it or Go is not installed. */
export function go(): Tell | null {
  if (!works('oapi-codegen', '-version') || !works('go', 'version')) return null
  return story =>
    inFolder(async folder => {
      await writeOpenApi30(story.document, join(folder, 'document.json'))
      const generate = ['-generate', 'types,client', '-package', 'main', '-o', 'client.go', 'document.json']
      await said(run('oapi-codegen', generate, { cwd: folder }))
      copyFileSync(story.program, join(folder, 'story.go'))
      await said(run('go', ['mod', 'init', 'story'], { cwd: folder }))
      for (const module of story.modules ?? []) await said(run('go', ['get', module], { cwd: folder }))
      await said(run('go', ['mod', 'tidy'], { cwd: folder }))
      return said(run('go', ['run', '.', ...story.args], { cwd: folder, env: environmentOf(story) }))
    })
}

async function writeOpenApi30(document: string, file: string): Promise<void> {
  const { asOpenApi30 } = await import('@windlass/api-documents/openapi-3.0.ts')
  const newer = JSON.parse(readFileSync(fileOf(document), 'utf8')) as object
  writeFileSync(file, JSON.stringify(asOpenApi30(newer)))
}

const fileOf = (document: string): URL => new URL(`../../docs/api/${document}.json`, import.meta.url)

async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'generated-client-'))
  try {
    return await act(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A compiler writes its errors to either stream; the error of `execFile` shows neither. */
async function said(running: Promise<{ stdout: string }>): Promise<string> {
  try {
    return (await running).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout}${stderr}`, { cause: error })
  }
}
