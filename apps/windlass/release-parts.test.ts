import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOrCreateBaseEnv, rememberInBaseEnv } from './base-env.ts'
import { CHECKOUT } from './home.ts'
import { createReleaseParts, variablesOfStack } from './release-parts.ts'
import { GIVEN_SETTINGS, readSettings } from './settings.ts'

let folder: string
let baseEnvFile: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-release-'))
  baseEnvFile = join(folder, 'base.env')
  mkdirSync(join(folder, 'apps'))
  cpSync(join(CHECKOUT, 'apps/windlass'), join(folder, 'apps/windlass'), {
    recursive: true,
    filter: path => !path.endsWith('node_modules'),
  })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A launcher of this release, whose checkout is `folder` by now. */
function launched(changes: Record<string, string> = {}) {
  const { variables: baseEnv } = readOrCreateBaseEnv(baseEnvFile)
  const settings = readSettings(baseEnv, changes)
  const chosen = { home: folder, proxyPort: 8123, backupsPort: {} }
  const question = { ...chosen, baseEnvFile, variables: settings.variables }
  const script = join(folder, 'apps/windlass/describe-parts.ts')
  return createReleaseParts(settings.services, variablesOfStack(settings, chosen), question, script)
}

function rewrite(file: string, from: string, to: string): void {
  const path = join(folder, 'apps/windlass', file)
  const text = readFileSync(path, 'utf8')
  expect(text).toContain(from)
  writeFileSync(path, text.replace(from, to))
}

describe('the parts of a running stack', () => {
  it('are those of the release in the checkout once it is asked: programs, flags, and a new secret for its part alone', async () => {
    const parts = launched({ PLATFORM_API_PORT: '4123' })
    rewrite(
      'services.ts',
      "script: 'apps/signer/main.ts'",
      "script: 'apps/signer/next.ts', flags: ['--expose-gc']",
    )
    rewrite(
      'settings-list/keys.ts',
      'export const keys: readonly Setting[] = [',
      "export const keys: readonly Setting[] = [\n  { name: 'NEW_KEY', group: 'Keys', summary: 'A key of the next release', secretOf: ['signer'] } as never,",
    )
    rememberInBaseEnv(baseEnvFile, 'NEW_KEY', 'of-the-next-release', 'Made by the next release.')
    expect(parts.of('signer').service.script).toBe('apps/signer/main.ts')
    await parts.readAgain()
    expect(parts.of('signer').service).toMatchObject({
      script: 'apps/signer/next.ts',
      flags: ['--expose-gc'],
    })
    expect(parts.of('signer').own.NEW_KEY).toBe('of-the-next-release')
    expect(parts.of('platform-api').own).not.toHaveProperty('NEW_KEY')
    expect(parts.of('signer').own).not.toHaveProperty(GIVEN_SETTINGS)
    const given = parts.of('signer').variables[GIVEN_SETTINGS]?.split(',')
    expect(given).toEqual(expect.arrayContaining(['PLATFORM_API_PORT', 'MASTER_KEY']))
    expect(given).not.toContain('SIGNER_URL')
    expect(parts.of('platform-api').own).toMatchObject({ PLATFORM_API_PORT: '4123', PROXY_PORT: '8123' })
  })

  it('stay as they were where the release in the checkout refuses the settings, in its own words', async () => {
    const parts = launched()
    const before = parts.of('aggregator')
    rewrite(
      'settings.ts',
      'if (mainnet) requireRealParts(services)',
      "throw new ConfigError('RATE_SOURCE must be named.')",
    )
    await expect(parts.readAgain()).rejects.toThrow('RATE_SOURCE must be named.')
    expect(parts.of('aggregator')).toEqual(before)
  })
})
