import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { firewallRules } from './firewall.ts'

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url))
const textOf = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')

const composeFiles = ['docker-compose.yml', 'docker-compose.tls.yml', 'docker-compose.observability.yml']
/** Blocks of a compose file that say what a container may do: those that inherit nothing, and what others inherit. */
const blocks = composeFiles.flatMap(file =>
  textOf(file)
    .split(/\n(?=\S)/)
    .flatMap(part => (part.startsWith('services:') ? part.split(/\n(?=  [a-z])/).slice(1) : [part]))
    .filter(
      block =>
        /^ *(x-service|[a-z0-9-]+):/.test(block) &&
        !/^ *(networks|volumes|secrets|name|x-health|x-awaited):/.test(block),
    )
    .filter(block => !/\n {4}<<: \*/.test(block) && /\n\s+(image|restart):/.test(block))
    .map(block => ({ name: /[a-z0-9-]+/.exec(block)?.[0] ?? '', block })),
)

it('postgres, caddy and what all others inherit say what they may do', () => {
  expect(blocks.map(({ name }) => name).toSorted()).toEqual(['caddy', 'postgres', 'x-service', 'x-service'])
})

const needed: Readonly<Record<string, string>> = {
  postgres: 'CHOWN, DAC_OVERRIDE, FOWNER, SETGID, SETUID',
  caddy: 'NET_BIND_SERVICE',
}

it.each(blocks)(
  '$name writes to its volumes alone, and has no power that it does not need',
  ({ name, block }) => {
    for (const line of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"])
      expect(block).toContain(`\n    ${line}`.replace('    ', name === 'x-service' ? '  ' : '    '))
    expect(/cap_add: \[(.*)\]/.exec(block)?.[1]).toBe(needed[name])
  },
)

it.each(composeFiles)('nothing in %s gives a container more than that', file => {
  const given = textOf(file)
    .split('\n')
    .filter(line => !line.trim().startsWith('#') && !line.includes('/var/run/docker.sock'))
  for (const word of ['privileged', 'unconfined', 'network_mode', 'pid:', 'userns_mode', 'devices:'])
    expect(given.filter(line => line.includes(word))).toEqual([])
  expect(given.filter(line => line.includes('cap_add'))).toHaveLength(
    blocks.filter(({ name, block }) => needed[name] && textOf(file).includes(block)).length,
  )
})

it('the rules of the firewall are those that are printed', () => {
  expect(textOf('windlass.nft')).toBe(firewallRules())
})

it('the signer, the secrets store and the consoles connect to no other machine', () => {
  for (const name of ['signer', 'secrets-store', 'founder-console', 'admin-console', 'customer-portal']) {
    const [, rules = ''] = new RegExp(`# ${name}\n([^#]*)`).exec(firewallRules()) ?? []
    expect(rules.trim()).toMatch(/^meta skuid \d+ reject$/)
  }
})

const has = (program: string) => spawnSync(program, ['--version']).error === undefined
const isThere = { systemd: has('systemd-analyze'), nft: has('nft') && process.getuid?.() === 0 }
if (!isThere.systemd) console.warn('SKIPPED: the unit of systemd, because systemd-analyze is not there')
if (!isThere.nft) console.warn('SKIPPED: the firewall read by nft, because it is not there')

it.runIf(isThere.systemd)('systemd reads the unit, and finds little that is exposed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const unit = join(folder, 'windlass.service')
  cpSync(join(DEPLOY, 'windlass.service'), unit)
  const exists = textOf('windlass.service').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
  writeFileSync(unit, exists)
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
  expect(verified.stderr).not.toContain('windlass.service:')
  const judged = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', unit], {
    encoding: 'utf8',
  })
  expect(Number(/exposure level for \S+ ([\d.]+)/.exec(judged)?.[1])).toBeLessThan(4)
})

it.runIf(isThere.nft)('nft reads the rules', () => {
  execFileSync('nft', ['--check', '--file', join(DEPLOY, 'windlass.nft')])
})
