import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { firstUnreachable } from '@windlass/runtimes/processes/server-user.ts'
import { childEnvironment } from '@windlass/testing/processes.ts'
import { createKey } from './backups/archive.ts'
import { generateBaseEnv } from './base-env.ts'
import { CHECKOUT, homeAt, prepareHome } from './home.ts'
import { requireSameDeployment } from './production-home.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

function windlass(args: string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(CHECKOUT, 'boot.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...childEnvironment(), WINDLASS_HOME: join(folder, 'home'), ...environment },
  })
  return { status, stdout, stderr }
}

const canChangeUser = process.getuid?.() === 0 && (await firstUnreachable(import.meta.filename, -1)) === null

describe('the command line', () => {
  it('exits with one line for mainnet with the mock identity provider and starts nothing', () => {
    const { status, stdout, stderr } = windlass(['start'], { IS_MAINNET: 'true', KYC_PROVIDER: 'mock' })
    expect(status).toBe(78)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain('IS_MAINNET=true with KYC_PROVIDER=mock')
    expect(stdout).toBe('')
  })

  it.each(['start', 'demo', 'help'])('explains "%s"', command => {
    const { status, stdout } = windlass([command, '--help'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/npm (start|stop|run)|windlass help/)
  })

  it('reports that nothing was tested when the test network is unreachable', () => {
    const { status, stdout } = windlass(['test:testnet'], { HORIZON_URL: 'http://127.0.0.1:9' })
    expect(status).toBe(75)
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:9 cannot be reached from here: .+ Nothing was tested/s)
  })

  it.each([
    ['platform', 'win32', /^Windlass does not run on Windows itself.* Use WSL 2/],
    ['arch', 'arm64', /linux arm64: untried as a whole/],
  ])('says where process.%s is %s that it is not tested there', (name, value, says) => {
    const change = `Object.defineProperty(process, '${name}', { value: '${value}' })`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(change)}`
    const { stdout, stderr } = windlass(['doctor'], { NODE_OPTIONS })
    expect(stdout + stderr).toMatch(says)
  })

  it('refuses unknown commands and flags', () => {
    expect(windlass(['sail'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Unknown command "sail"'),
    })
    expect(windlass(['help', 'sail'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Unknown command "sail"'),
    })
    expect(windlass(['help', 'constructor']).status).toBe(2)
    expect(windlass(['help', 'help', '--json']).status).toBe(2)
    expect(windlass(['help', 'audit', 'verify']).stdout).toContain('npm run audit:verify')
    expect(windlass(['stop', '--everything'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Unknown option '--everything'"),
    })
  })

  it('refuses words that a command does not take, and explains each command', () => {
    expect(windlass(['status', 'please'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Unexpected argument 'please'"),
    })
    expect(windlass(['audit', 'verify', '--help']).stdout).toContain('npm run audit:verify')
    expect(windlass(['jobs', '--status', 'done'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/no status "done"[^]*pending, running, failed, completed or stalled/),
    })
    for (const command of [
      'anchors',
      'jobs',
      'audit:verify',
      'statements:check',
      'keys:rotate',
      'backup',
      'restore',
      'restart',
      'upgrade',
      'logs',
      'doctor',
    ])
      expect(windlass([command, '--help']).stdout).toContain('--json')
  })

  it('says who can read a backup must be named, and what opens it', () => {
    expect(windlass(['backup'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--encrypt-to'),
    })
    expect(windlass(['restore'])).toMatchObject({ status: 2, stderr: expect.stringContaining('--key') })
    const key = join(folder, 'key.txt')
    const made = windlass(['backup', 'key', key, '--json'])
    expect(JSON.parse(made.stdout)).toEqual({
      file: key,
      recipient: expect.stringMatching(/^age1/),
      signer: expect.stringMatching(/^ed25519:/),
    })
    expect(windlass(['backup', 'key', key])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('exists already'),
    })
    expect(windlass(['restore', '--key', key, '--at', 'yesterday'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('a time with its zone'),
    })
    expect(windlass(['restore', '--key', key, '--from', folder])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no backup in'),
    })
    expect(windlass(['backup', '--encrypt-to', 'age1typed-wrongly'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("'age1typed-wrongly' is none"),
    })
    const missing = join(folder, 'missing')
    expect(windlass(['restore', '--key', missing])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${missing} cannot be read: there is no such file`),
    })
    for (const command of [['backup', 'verify'], ['restore']])
      expect(windlass([...command, missing, '--key', key])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`There is no backup ${missing}.`),
      })
  })

  it('refuses the place of another stack for the backups of a restored one', () => {
    const place = join(folder, 'place-of-another')
    const backup = join(place, 'windlass-20261122T120030000Z.tar.gz.age')
    const key = join(folder, 'restoring.txt')
    windlass(['backup', 'key', key])
    mkdirSync(place)
    writeFileSync(backup, '')
    expect(windlass(['restore', backup, '--key', key, '--backup-to', place])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${place} is the place of another stack`),
    })
  })

  it('says before a start that scheduled backups have no key', () => {
    const given = { BACKUP_TO: join(folder, 'unlocked') }
    expect(windlass(['doctor'], given)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('BACKUP_TO needs BACKUP_ENCRYPT_TO'),
    })
    expect(windlass(['doctor'], { ...given, BACKUP_ENCRYPT_TO: 'age1x' }).stdout).toContain('age1x is none')
  })

  it('puts a new key before the older ones', () => {
    const home = join(folder, 'rotated')
    mkdirSync(home)
    const file = join(home, 'base.env')
    writeFileSync(file, 'A=1\nMASTER_KEY=v2:new,v1:old\nPLATFORM_KEY=v1:old\n', { mode: 0o600 })
    const rotated = windlass(['keys', 'rotate', 'MASTER_KEY', '--json'], { WINDLASS_HOME: home })
    expect(JSON.parse(rotated.stdout)).toEqual([{ name: 'MASTER_KEY', version: 'v3' }])
    expect(readFileSync(file, 'utf8')).toMatch(
      /^A=1\nMASTER_KEY=v3:[\w+/=]{44},v2:new,v1:old\nPLATFORM_KEY=v1:old\n$/,
    )
    expect(windlass(['keys:rotate', 'OTP_KEY'], { WINDLASS_HOME: home }).status).toBe(2)
    expect(windlass(['keys:rotate', 'SIGNER_KEY'], { WINDLASS_HOME: home })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('rotate it where it is set'),
    })
  })

  it('rotates the secrets of one anchor only where its control plane’s database is', () => {
    const WINDLASS_HOME = join(folder, 'nothing-runs')
    expect(windlass(['keys', 'rotate', '--anchor', 'mumbai', 'tokens'], { WINDLASS_HOME })).toMatchObject({
      stderr: expect.stringContaining('no stack is running'),
    })
    expect(windlass(['keys', 'rotate', '--anchor', 'mumbai', '--anchor', 'lima'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Name one anchor.'),
    })
  })

  it('asks the database that the base env file names, with its keys', () => {
    const { folder: WINDLASS_HOME, baseEnvFile } = homeAt(join(folder, 'own-postgres'))
    mkdirSync(WINDLASS_HOME)
    writeFileSync(baseEnvFile, 'PLATFORM_DATABASE_URL=postgres://windlass@127.0.0.1:9/none\n')
    const { status, stderr } = windlass(['audit', 'verify'], { WINDLASS_HOME })
    expect(status).not.toBe(0)
    expect(stderr).toContain('ECONNREFUSED 127.0.0.1:9')
  })

  it.runIf(canChangeUser).each(['status', 'stop', 'logs', 'anchors', 'backup'])(
    'says whose stack it is, to another user of this machine who asks for %s',
    command => {
      const home = homeAt(join(folder, 'of-root'))
      chmodSync(folder, 0o755)
      prepareHome(home)
      if (!existsSync(home.baseEnvFile)) writeFileSync(home.baseEnvFile, '', { mode: 0o600 })
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(CHECKOUT, 'boot.mjs'), command], {
        ...{ encoding: 'utf8', uid: 19_995, gid: 19_995 },
        env: { PATH: process.env.PATH, HOME: '/nonexistent', WINDLASS_HOME: home.folder },
      })
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(new RegExp(`${home.folder}.* belongs to another user`))
    },
  )

  it('lists what production lacks and what parts refuse at once', () => {
    const wrong = { FX_RATE_INR_USDC: 'cheap', SIGNER_BACKEND: 'vault', SMTP_URL: 'smtp://mail.example.org' }
    const { status, stdout } = windlass(['doctor', '--production', '--json'], {
      ...{ WINDLASS_HOME: join(folder, 'production'), ...wrong },
    })
    expect(status).toBe(1)
    const found: { name?: string; part?: string; problem: string }[] = JSON.parse(stdout)
    expect(found).toContainEqual(expect.objectContaining({ name: 'ADMIN_PASSWORD', problem: 'is not set' }))
    expect(found.filter(({ part }) => part)).toEqual([
      { part: 'signer', problem: 'SIGNER_BACKEND=vault needs VAULT_ADDR' },
      { part: 'control plane', problem: expect.stringContaining('FX_RATE_INR_USDC') },
      { part: 'aggregator', problem: expect.stringContaining('FX_RATE_INR_USDC') },
    ])
    expect(existsSync(join(folder, 'production'))).toBe(false)
  })

  it('neither starts what was started in production with a developer’s settings, nor removes it', () => {
    const home = homeAt(join(folder, 'live'))
    prepareHome(home)
    requireSameDeployment(home, { local: false })
    const own = { WINDLASS_HOME: home.folder }
    // Neither deployment gets new keys in place of those that are missing.
    for (const DEPLOYMENT of ['local', 'production'])
      expect(windlass(['start'], { ...own, DEPLOYMENT })).toMatchObject({
        status: 78,
        stderr: expect.stringContaining(`${home.baseEnvFile} with its keys is missing`),
      })
    expect(windlass(['doctor'], own).stdout).toContain(`${home.baseEnvFile} with its keys`)
    expect(existsSync(home.baseEnvFile)).toBe(false)
    writeFileSync(home.baseEnvFile, generateBaseEnv(), { mode: 0o600 })
    expect(windlass(['start'], own)).toMatchObject({
      status: 78,
      stdout: '',
      stderr: expect.stringContaining('these settings say DEPLOYMENT=local'),
    })
    const keys = readFileSync(home.baseEnvFile, 'utf8')
    for (const command of [['stop'], ['stack:down']])
      expect(windlass([...command, '--volumes'], own)).toMatchObject({
        status: 78,
        stderr: expect.stringContaining(`remove ${join(home.folder, 'production')} first`),
      })
    expect(readFileSync(home.baseEnvFile, 'utf8')).toBe(keys)
    expect(windlass(['stop'], own).status).toBe(0)
    rmSync(join(home.folder, 'production'))
    expect(windlass(['stop', '--volumes'], own).status).toBe(0)
    expect(existsSync(home.folder)).toBe(false)
  })

  it('checks the settings of an upgrade, and goes back only to what was backed up', () => {
    const own = { WINDLASS_HOME: join(folder, 'upgraded') }
    expect(windlass(['upgrade'], own)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nothing to upgrade'),
    })
    expect(windlass(['backup', 'signer'], own).stdout).toMatch(/^signed-by ed25519:/)
    expect(windlass(['upgrade'], own)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--encrypt-to'),
    })
    expect(windlass(['upgrade', '--no-backup'], { ...own, DEPLOYMENT: 'production' })).toMatchObject({
      status: 78,
      stderr: expect.stringContaining('SMTP_URL'),
    })
    expect(windlass(['upgrade', '--no-backup', '--json'], own).status).toBe(0)
    expect(windlass(['upgrade', 'back'], own)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no way back'),
    })
    expect(windlass(['restart'], own)).toMatchObject({ status: 3 })
  })

  it('reports that nothing is running', () => {
    expect(JSON.parse(windlass(['status', '--json']).stdout)).toMatchObject({ running: false })
    expect(windlass(['status'])).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('Nothing is running'),
    })
    expect(windlass(['stop'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Nothing is running'),
    })
  })

  it('names the commands of containers where the stack runs in them', async () => {
    const home = homeAt(join(folder, 'contained'))
    prepareHome(home)
    mkdirSync(join(home.folder, 'containers'))
    const own = { WINDLASS_HOME: home.folder }
    const ofContainers = expect.stringContaining('docker logs windlass-<part>')
    expect(windlass(['status'], own)).toMatchObject({ status: 3, stdout: ofContainers })
    expect(windlass(['logs'], own)).toMatchObject({ status: 78, stderr: ofContainers })
    const backups = { ...own, BACKUP_TO: join(folder, 'place') }
    expect(windlass(['doctor'], backups).stdout).toContain('BACKUP_TO makes no backups here')
    expect(existsSync(backups.BACKUP_TO)).toBe(false)
    const { recipient } = await createKey()
    expect(windlass(['backup', '--encrypt-to', recipient], own).stderr).toContain('backup.md#in-containers')
    expect(windlass(['jobs'], own)).toMatchObject({
      status: 78,
      stderr: expect.stringContaining(
        'docker exec windlass-platform-api node apps/platform-api/provisioning/main.ts all text',
      ),
    })
  })

  it('shows the log of an anchor by a part of its name', () => {
    const logs = join(folder, 'home', 'logs', 'anchors')
    mkdirSync(logs, { recursive: true })
    writeFileSync(join(logs, 'anc1-sep.log'), 'from the SEP server\n')
    writeFileSync(join(logs, 'anc1-business.log'), 'from the business server\n')
    expect(windlass(['logs', 'anc1-sep'])).toMatchObject({ status: 0, stdout: 'from the SEP server\n' })
    expect(windlass(['logs', 'anc1'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'Several logs match "anc1". Logs: anchors/anc1-business, anchors/anc1-sep',
      ),
    })
    expect(windlass(['logs']).stdout).toContain('from the business server')
  })

  it('follows a request through all logs, those put aside too, in order of time', () => {
    const logs = join(folder, 'home', 'logs')
    mkdirSync(logs, { recursive: true })
    const line = (time: number, msg: string, reqId: string) =>
      `${JSON.stringify({ level: 30, time: 1_790_000_000_000 + time, msg, reqId })}\n`
    writeFileSync(join(logs, 'platform-api.log.1'), line(0, 'put aside', 'r1'))
    writeFileSync(join(logs, 'platform-api.log'), line(1, 'first', 'r1') + line(3, 'third', 'r1'))
    writeFileSync(join(logs, 'aggregator.log'), line(2, 'second', 'r1') + line(2, 'another', 'r2'))
    const found = windlass(['logs', '--request', 'r1', '--json']).stdout.trim().split('\n')
    expect(found.map(text => JSON.parse(text))).toMatchObject([
      { log: 'platform-api', msg: 'put aside' },
      { log: 'platform-api', msg: 'first' },
      { log: 'aggregator', msg: 'second' },
      { log: 'platform-api', msg: 'third' },
    ])
    const filtered = windlass([
      'logs',
      'platform-api',
      '--request',
      'r1',
      '--filter',
      'hird',
      '--json',
    ]).stdout
    expect(filtered.trim().split('\n')).toEqual([expect.stringContaining('third')])
    expect(windlass(['logs', '--filter', 'nowhere'])).toMatchObject({
      ...{ status: 0, stdout: '' },
      stderr: 'No line in the logs contains "nowhere".\n',
    })
  })

  it('refuses a data folder with files of another program', () => {
    const { status, stderr } = windlass(['start'], { WINDLASS_HOME: CHECKOUT })
    expect(status).toBe(1)
    expect(stderr).toContain('Name an empty or new folder')
  })
})
