import type { Page } from 'playwright-core'
import { overflow, sizes } from './browser.ts'

/** What is wrong with a page in the pseudo-locale: names of controls and headings in no catalogue, and no room. */
export async function pseudoFaults(page: Page): Promise<string[]> {
  const unmarked = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('h1, h2, h3, button, label, nav a, th')]
      .filter(element => element.checkVisibility())
      .map(element => element.innerText.trim())
      .filter(text => text !== '' && !text.startsWith('[')),
  )
  const found = unmarked.map(text => `“${text}” is in no catalogue`)
  for (const size of ['desktop', 'phone'] as const) {
    await page.setViewportSize(sizes[size])
    const wider = await overflow(page)
    if (wider > 0) found.push(`${size}: ${wider} px wider than its window`)
  }
  return found
}
