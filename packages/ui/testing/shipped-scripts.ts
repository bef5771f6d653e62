import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page, Request } from 'playwright-core'

/** How many bytes of gzip the scripts take that a page asks for until it stands. */
export async function shippedScripts(
  page: Page,
  folder: string,
  show: (page: Page) => Promise<void>,
): Promise<number> {
  const paths = new Set<string>()
  const note = (request: Request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) paths.add(pathname)
  }
  page.on('request', note)
  await show(page)
  await page.waitForLoadState('networkidle')
  page.off('request', note)
  const sizes = await Promise.all(
    [...paths].map(async path => gzipSync(await readFile(join(folder, path)), { level: 9 }).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
