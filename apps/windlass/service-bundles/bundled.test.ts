import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atSources } from '@windlass/service/observe/source-maps.ts'
import { serviceProgram } from '@windlass/testing/processes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHECKOUT } from '../home.ts'
import { BACKUPS, SERVICES } from '../services.ts'

const run = promisify(execFile)

describe('services as bundles', () => {
  let folder: string
  beforeAll(async () => {
    folder = join(await serviceProgram('signer'), '..')
  })

  it.each([...SERVICES, BACKUPS].filter(({ database }) => database))(
    'read their settings: the $name',
    async ({ name }) => {
      const ended = await run(process.execPath, [join(folder, `${name}.mjs`)], { env: {} }).catch(
        error => error,
      )
      expect([ended.code, ended.stderr]).toEqual([78, expect.stringMatching(/^[\w-]+: \w+ is not set\n$/)])
    },
  )

  it('are there for each part, beside the programs that these name', () => {
    const programs = readdirSync(folder).filter(file => file.endsWith('.mjs'))
    const parts = [...SERVICES, BACKUPS].map(({ name }) => `${name}.mjs`)
    expect(programs).toEqual(expect.arrayContaining(parts))
    const named = programs.flatMap(program =>
      [...readFileSync(join(folder, program), 'utf8').matchAll(/new URL\(.\.\/([\w-]+\.mjs)/g)].map(
        ([, name = '']) => name,
      ),
    )
    expect(named.toSorted()).toEqual(['prober-thread.mjs', 'ranking-thread.mjs', 'worker-main.mjs'])
    expect(named.filter(name => !existsSync(join(folder, name)))).toEqual([])
  })

  it('are in ASCII, of which V8 keeps one byte for each character', () => {
    const programs = readdirSync(folder).filter(file => file.endsWith('.mjs'))
    expect(programs.filter(file => !/^[\x00-\x7f]*$/.test(readFileSync(join(folder, file), 'utf8')))).toEqual(
      [],
    )
  })

  it('name our sources in stack traces', async () => {
    const broken = mkdtempSync(join(folder, '..', 'broken-'))
    try {
      cpSync(folder, broken, { recursive: true })
      // A listener that is taken away: the start fails within our own code.
      const fails = 'process.on = () => { throw new Error("no signals here") }'
      const program = join(broken, 'mail-catcher.mjs')
      const args = ['--import', `data:text/javascript,${fails}`, program]
      const { stderr }: { stderr: string } = await run(process.execPath, args, { env: {} }).catch(
        error => error,
      )
      const stack = stderr.slice(stderr.indexOf('Error: no signals here'))
      const place = atSources(stack, broken)
      expect(place).toContain(join(CHECKOUT, 'packages/service/process/run.ts:'))
      expect(place).toContain(join(CHECKOUT, 'apps/mail-catcher/main.ts:'))
    } finally {
      rmSync(broken, { recursive: true, force: true })
    }
  })
})
