import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { generateBaseEnv, parseEnvFile } from './base-env.ts'
import { containerVariables, givenVariables, publishedPorts } from './containers/environments.ts'
import { SERVICES } from './services.ts'
import { settingOf, SETTINGS, settingsAsMarkdown, settingsAsSchema } from './settings-list.ts'
import { deriveVariables, readSettings, settledPorts, variablesFor } from './settings.ts'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url)).replace(/apps\/$/, '')
const baseEnv = parseEnvFile(generateBaseEnv(), 'base.env')

/** Variables that the control plane writes for an anchor's servers, what a person gives to a rescue, and Node's own. */
const OF_ANCHORS = [
  'ANCHOR_CONFIG',
  'ANCHOR_SERVICE_SECRET',
  'DATABASE_MAY_BE_NEWER',
  'DATABASE_URL',
  'DETAILS_KEY',
  'DISTRIBUTION_KEY',
  'HELPER_SEED',
  'LINK_SECRET',
  'PORT',
  'RAIL_CREDENTIALS',
  'SEP_JWT_SECRET',
  'SIGNER_CREDENTIAL',
  'SIGNING_KEY',
  'STELLAR_TOML',
  'SUMMARY_SECRET',
  'NODE_COMPILE_CACHE',
]

describe('the list of settings', () => {
  it('has every variable that a configuration reads', () => {
    const files = globSync('{apps,packages}/**/*.ts', {
      cwd: CHECKOUT,
      exclude: name => name === 'node_modules',
    })
    const read = files
      .filter(path => !/test/.test(path))
      .flatMap(path => {
        const text = readFileSync(`${CHECKOUT}${path}`, 'utf8')
        return [...text.matchAll(/\b[a-z]\w*\(\s*env,\s*'([A-Z][A-Z0-9_]+)'/g)].map(([, name = '']) => name)
      })
    expect(read.length).toBeGreaterThan(60)
    const unlisted = read.filter(name => !settingOf(name) && !OF_ANCHORS.includes(name))
    expect(unlisted).toEqual([])
  })

  it('names each setting once, with what it does', () => {
    expect(new Set(SETTINGS.map(({ name }) => name)).size).toBe(SETTINGS.length)
    expect(SETTINGS.filter(({ summary }) => summary.endsWith('.'))).toEqual([])
  })

  it('is a JSON schema for editors too, with secrets marked', () => {
    const { properties } = settingsAsSchema()
    expect(Object.keys(properties).length).toBe(2 * SETTINGS.length)
    expect(properties['MASTER_KEY']).toMatchObject({ type: 'string', writeOnly: true })
    expect(properties['LOG_LEVEL']).not.toHaveProperty('writeOnly')
  })

  it('is the settings guide', () => {
    expect(readFileSync(`${CHECKOUT}docs/guides/settings.md`, 'utf8')).toContain(settingsAsMarkdown())
  })
})

const DERIVED =
  /_PORT$|^(WINDLASS_HOME|BIND_HOST|DEPLOYMENT|IS_MAINNET|KYC_PROVIDER|ALLOW_MOCK_KYC|POSTGRES_PASSWORD)$/
const folder = mkdtempSync(join(tmpdir(), 'windlass-settings-'))
const file = join(folder, 'value')
writeFileSync(file, 'given\n')
afterAll(() => rmSync(folder, { recursive: true }))
const GIVEN = SETTINGS.filter(({ name }) => !DERIVED.test(name))

describe.each(['NAME', 'NAME_FILE'])('a setting in the environment, as %s', form => {
  const variableOf = (name: string) => (form === 'NAME' ? name : `${name}_FILE`)

  it.each(GIVEN)('$name reaches the services of npm start', ({ name, secretOf }) => {
    const variable = variableOf(name)
    const environment = {
      [variable]: 'https://given.example',
      ...(name === 'FRIENDBOT_URL' && { HORIZON_URL: 'x' }),
    }
    const settings = readSettings(baseEnv, environment)
    const derived = deriveVariables(settings, '/home', 80)
    const variables = { ...derived, ...settings.variables, ...settledPorts(derived) }
    const receivers = SERVICES.filter(
      service => variablesFor(service.name, variables)[variable] !== undefined,
    )
    expect(receivers.map(service => service.name).toSorted()).toEqual(
      (secretOf ?? SERVICES.map(service => service.name)).toSorted(),
    )
    expect(variables[variable]).toBe('https://given.example')
  })

  const ofTheComposeFile = /^(DOCKER_HOST|ANCHOR_PROGRAMS|LOCAL_NETWORK_HOME)$/
  it.each(GIVEN.filter(({ name }) => !ofTheComposeFile.test(name)))(
    '$name reaches containers',
    ({ name }) => {
      // Containers do not see this machine's files: what they contain is passed on.
      const environment = { [variableOf(name)]: form === 'NAME' ? 'given' : file }
      const variables = containerVariables(
        givenVariables(baseEnv, environment),
        publishedPorts(environment, false),
      )
      expect(variables[name]).toBe('given')
    },
  )
})
