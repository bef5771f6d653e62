import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCommand, UsageError } from './command.ts'

const optionsOf = (args: string[], env: NodeJS.ProcessEnv = {}) => {
  const command = readCommand(args, env)
  return command.help ? undefined : command.options
}

describe('the command', () => {
  it('listens at port 8000 of localhost and closes every second by default', () => {
    expect(optionsOf([])).toEqual({
      port: 8000,
      host: 'localhost',
      dataFolder: '.local-network',
      closeEvery: 1000,
      passphrase: 'Test SDF Network ; September 2015',
      allowedHosts: [],
      protocol: 28,
      faults: {},
      reset: false,
    })
  })

  it('reads the environment', () => {
    const env = {
      LOCAL_NETWORK_PORT: '18000',
      BIND_HOST: '0.0.0.0',
      WINDLASS_HOME: '/var/windlass',
      LOCAL_NETWORK_CLOSE_EVERY: 'at-once',
      LOCAL_NETWORK_ALLOWED_HOSTS: 'Host.Docker.Internal, stellar',
      NETWORK_PASSPHRASE: 'Ours',
    }
    expect(optionsOf([], env)).toMatchObject({
      port: 18_000,
      host: '0.0.0.0',
      dataFolder: '/var/windlass/local-network',
      closeEvery: 'at-once',
      passphrase: 'Ours',
      allowedHosts: ['host.docker.internal', 'stellar'],
    })
    expect(optionsOf([], { ...env, LOCAL_NETWORK_HOME: '/data' })).toMatchObject({ dataFolder: '/data' })
  })

  it('lets an option win over the environment', () => {
    const env = { LOCAL_NETWORK_PORT: '1', LOCAL_NETWORK_CLOSE_EVERY: '5', LOCAL_NETWORK_HOME: '/data' }
    const args = ['--port', '2', '--close-every=on-demand', '--home', ':memory:', '--reset', '--protocol=23']
    expect(optionsOf(args, env)).toMatchObject({
      port: 2,
      closeEvery: 'on-demand',
      dataFolder: ':memory:',
      protocol: 23,
      reset: true,
    })
  })

  it('ignores the mark by which a supervisor finds the process', () => {
    expect(readCommand(['--run-file=/run/local-network.json'], {})).toEqual(readCommand([], {}))
  })

  it('takes faults as JSON, and a port for the admin API', () => {
    const faults = { baseFee: 200, instances: { behind: { port: 8002, lag: { ledgers: 5 } } } }
    expect(optionsOf(['--faults', JSON.stringify(faults), '--admin-port', '8001'])).toMatchObject({
      faults,
      adminPort: 8001,
    })
    expect(optionsOf([], { LOCAL_NETWORK_FAULTS: '{"surgeFee":5}' })).toMatchObject({
      faults: { surgeFee: 5 },
    })
  })

  it.each([
    [['--faults', '{"baseFee":"high"}'], {}],
    [['--faults', 'no-such-file.json'], {}],
    [['--admin-port', 'x'], {}],
    [['--port', '70000'], {}],
    [['--port', 'http'], {}],
    [['--close-every', '0'], {}],
    [['--close-every', 'soon'], {}],
    [['--unknown'], {}],
    [['stray'], {}],
    [['--protocol', '18'], {}],
    [['--protocol', '29'], {}],
    [['--protocol', 'new'], {}],
    [[], { LOCAL_NETWORK_PORT: 'x' }],
    [[], { IS_MAINNET: 'true' }],
    [[], { IS_MAINNET: '1' }],
    [['--passphrase', 'Public Global Stellar Network ; September 2015'], {}],
  ])('refuses %j with %j', (args, env) => {
    expect(() => readCommand(args, env)).toThrow(UsageError)
  })

  it('prints its help, and one line for what it cannot use', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], { encoding: 'utf8' })
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--close-every') })
    expect(run('--port', 'x')).toMatchObject({
      status: 2,
      stderr: "local-network: 'x' is not a port\nTry --help.\n",
    })
  })
})
