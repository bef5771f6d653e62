import { generateBaseEnv, parseEnvFile } from './base-env.ts'
import { readSandbox } from './sandbox.ts'
import { BACKUPS, SERVICES } from './services.ts'
import { deriveVariables, readSettings, settledPorts } from './settings.ts'
import { describe, expect, it } from 'vitest'

const baseEnv = parseEnvFile(generateBaseEnv(), 'base.env')

function variablesWith(args: string[], environment: Record<string, string> = {}) {
  const sandbox = readSandbox(args, environment)
  const settings = readSettings(baseEnv, sandbox.environment)
  const derived = deriveVariables(settings, 'home', Number(sandbox.environment.PROXY_PORT ?? 80))
  return { ...sandbox, variables: { ...derived, ...settings.variables, ...settledPorts(derived) } }
}

describe('--sandbox', () => {
  it('gives a stack ports, a home and hosts that the other stack does not have', () => {
    const live = variablesWith(['start']).variables
    const { args, environment, variables } = variablesWith(['start', '--timeline', '--sandbox'])
    expect(args).toEqual(['start', '--timeline'])
    expect(environment.WINDLASS_HOME).toBe('.windlass-sandbox')
    const names = [
      ...[...SERVICES, BACKUPS].flatMap(({ ports }) => ports.map(([name]) => name)),
      'POSTGRES_PORT',
    ]
    const portsOf = (of: Record<string, string | undefined>) => names.map(name => of[name])
    expect(new Set(portsOf(variables)).size).toBe(names.length)
    expect(portsOf(variables).filter(port => portsOf(live).includes(port))).toEqual([])
    expect(variables.PROXY_HOSTS).toContain('console.sandbox.localhost=http://127.0.0.1:14001')
    // Cookies know no ports.
    expect(variables.FOUNDER_CONSOLE_URL).toBe('http://console.sandbox.localhost:8180')
    expect(variables.LIVE_URL).toBe('http://localhost:4001')
  })

  it('yields to what the environment says, and changes nothing where it is not asked for', () => {
    const given = { PROXY_PORT: '9000', LIVE_URL: 'http://live.example', SIGNER_PORT: '9002' }
    const home = readSandbox(['--sandbox'], { WINDLASS_HOME: '/srv/windlass' }).environment.WINDLASS_HOME
    expect(home).toBe('/srv/windlass-sandbox')
    const { variables } = variablesWith(['start', '--sandbox'], given)
    expect(variables).toMatchObject({ ...given, ADMIN_CONSOLE_URL: 'http://admin.sandbox.localhost:9000' })
    expect(readSandbox(['start'], given).environment).toEqual(given)
  })
})
