import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'

/** How many bytes of gzip the scripts take that a page asks for until it stands. */
export async function shippedScripts(
  page: Page,
  folder: string,
  show: (page: Page) => Promise<void>,
): Promise<number> {
  const paths = new Set<string>()
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) paths.add(pathname)
  })
  await show(page)
  await page.waitForLoadState('networkidle')
  const sizes = await Promise.all(
    [...paths].map(async path => gzipSync(await readFile(join(folder, path)), { level: 9 }).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
