import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CHECKOUT } from '../home.ts'

it('a package is made from any folder, into one that is named from there', { timeout: 60_000 }, () => {
  const cwd = mkdtempSync(join(tmpdir(), 'windlass-package-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const program = join(CHECKOUT, 'apps/windlass/release/main.ts')
  execFileSync(process.execPath, [program, '--package', 'wallet-checks', 'made'], { cwd })
  const { exports: exported } = JSON.parse(readFileSync(join(cwd, 'made/package.json'), 'utf8'))
  expect(readFileSync(join(cwd, 'made', exported['.'].types), 'utf8')).toContain('export')
})
