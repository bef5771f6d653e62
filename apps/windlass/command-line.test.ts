import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { CHECKOUT } from './home.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

function windlass(args: string[], environment: Record<string, string> = {}) {
  const { PATH } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(CHECKOUT, 'boot.mjs'), ...args], {
    encoding: 'utf8',
    env: { PATH, WINDLASS_HOME: join(folder, 'home'), ...environment },
  })
  return { status, stdout, stderr }
}

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

  it('refuses unknown commands and flags', () => {
    expect(windlass(['sail'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Unknown command "sail"'),
    })
    expect(windlass(['help', 'sail'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Unknown command "sail"'),
    })
    expect(windlass(['stop', '--everything'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Unknown option '--everything'"),
    })
  })

  it('reports that nothing is running', () => {
    expect(windlass(['status'])).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('Nothing is running'),
    })
    expect(windlass(['stop'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Nothing is running'),
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
        'Several logs match "anc1". There are: anchors/anc1-business, anchors/anc1-sep',
      ),
    })
    expect(windlass(['logs']).stdout).toContain('from the business server')
  })

  it('refuses a data folder with files of another program', () => {
    const { status, stderr } = windlass(['start'], { WINDLASS_HOME: CHECKOUT })
    expect(status).toBe(1)
    expect(stderr).toContain('Name an empty or new folder')
  })
})
