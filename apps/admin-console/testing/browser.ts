import { join } from 'node:path'
import { consoleInBrowser } from '@windlass/ui/testing/console-under-test.ts'
import type { Page } from 'playwright-core'
import { beforeEach } from 'vitest'
import { answerAdministrators, type AdministratorsState } from './platform.ts'
import { queue } from './records.ts'

export type AdminConsoleInBrowser = ReturnType<typeof adminConsoleInBrowser>

/** The admin console in a browser, for the tests of a block. Before each test an owner is signed in. */
export function adminConsoleInBrowser() {
  const console = consoleInBrowser(join(import.meta.dirname, '..'))
  const open = async (page: Page, path: string, heading: string): Promise<void> => {
    await page.goto(console.url + path)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  /** Asks the route explainer for the route of 100 HARB. */
  const ask = async (page: Page, rail: string): Promise<void> => {
    await open(page, '/routing', 'Route explainer')
    await page.getByLabel('Amount').fill('100')
    await page.getByLabel('Asset').fill('harb')
    await page.getByLabel('Rail').fill(rail)
    await page.getByRole('button', { name: 'Find route' }).click()
  }
  const admin = { console, open, ask, state: { signedIn: true, records: queue() } as AdministratorsState }
  beforeEach(() => {
    admin.state = { signedIn: true, records: queue() }
    answerAdministrators(console.platform, admin.state)
  })
  return admin
}
