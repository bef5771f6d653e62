import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { homeAt } from '../home.ts'
import { terminalProgress } from '../progress.ts'
import { startBackups } from './schedule.ts'

it('says what failed and why where a scheduled backup fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-schedule-'))
  const home = homeAt(join(folder, 'home'))
  const warnings: string[] = []
  const progress = { ...terminalProgress(true), warn: (text: string) => void warnings.push(text) }
  const place = join(folder, 'backups')
  const schedule = { place, recipients: [], everyHours: 24, keep: 7, logEverySeconds: 0 }
  const backups = startBackups(schedule, {}, home, progress)
  await expect.poll(() => warnings).toHaveLength(1)
  expect(warnings[0]).toContain('backups: a backup failed: There are no databases in')
  await backups.stop()
  rmSync(folder, { recursive: true })
})
