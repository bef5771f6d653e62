import type { Page } from 'playwright-core'

export interface SlowVisit {
  /** Milliseconds from navigation to the first paint of any content. */
  firstPaint: number
  /** How much moved without being asked to (cumulative layout shift). */
  shift: number
  /** The parts that moved most. */
  moved: string[]
}

/** Opens a page at 1.6 Mbit/s, 150 ms of latency and a processor four times slower, and measures until it is quiet. */
export async function visitSlowly(page: Page, show: (page: Page) => Promise<void>): Promise<SlowVisit> {
  await slowDown(page)
  await show(page)
  await page.waitForLoadState('networkidle')
  return page.evaluate(async () => {
    interface Shift extends PerformanceEntry {
      value: number
      hadRecentInput: boolean
      sources: { node: Node | null }[]
    }
    const shifts = await new Promise<Shift[]>(resolve => {
      const observer = new PerformanceObserver(list => resolve(list.getEntries() as Shift[]))
      observer.observe({ type: 'layout-shift', buffered: true })
      // Without any, the observer never calls.
      setTimeout(() => resolve(observer.takeRecords() as Shift[]), 500)
    })
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    return {
      firstPaint: paint?.startTime ?? Infinity,
      shift: shifts.reduce((sum, each) => sum + (each.hadRecentInput ? 0 : each.value), 0),
      moved: shifts
        .filter(({ value }) => value > 0.01)
        .map(
          ({ startTime, value, sources }) =>
            `${value.toFixed(3)} after ${startTime.toFixed()} ms: ${sources.map(({ node }) => node?.textContent?.slice(0, 60)).join(' | ')}`,
        ),
    }
  })
}

export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: (1.6 * 1024 * 1024) / 8,
    uploadThroughput: (0.75 * 1024 * 1024) / 8,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}
