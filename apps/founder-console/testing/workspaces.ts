import { consoleInBrowser } from '@windlass/ui/testing/console-under-test.ts'
import { dirname } from 'node:path'
import type { Page } from 'playwright-core'
import { answerOperators } from './operators.ts'
import { operatorsState, type OperatorsState } from './operators-state.ts'

/** The console in a browser, before a platform with an anchor's workspace. */
export function workspacesInBrowser() {
  const console = consoleInBrowser(dirname(import.meta.dirname))
  return {
    console,
    /** Has the platform answer from a state of its own, which the test may change. */
    answer: (): OperatorsState => {
      const state = operatorsState()
      answerOperators(console.platform, state)
      return state
    },
    open: async (page: Page, path: string, heading: string): Promise<void> => {
      await page.goto(console.url + path)
      await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    },
    askForCode: async (page: Page): Promise<void> => {
      await page.getByLabel('Email').fill('mira@harbour.example')
      await page.getByRole('button', { name: 'Send code' }).click()
      await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
    },
  }
}
