import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { slowDown } from './slow-visit.ts'

interface Paint {
  /** Milliseconds from navigation to the largest contentful paint. */
  largest: number
  /** Bytes on the wire, by kind. */
  bytes: { html: number; css: number; other: number }
}

const VISITS = 4

/**
 * How much later a page paints its largest content than a bare page of as many bytes does, both at 1.6 Mbit/s,
 * 150 ms of latency and a processor four times slower. The best of several visits each, in turn.
 */
export async function paintRatio(browser: Browser, url: string): Promise<number> {
  const first = await paintOf(browser, url)
  const bare = await serveBare(first.bytes)
  try {
    let [largest, bareLargest] = [first.largest, Infinity]
    for (let visit = 0; visit < VISITS; visit++) {
      bareLargest = Math.min(bareLargest, (await paintOf(browser, bare.url)).largest)
      largest = Math.min(largest, (await paintOf(browser, url)).largest)
    }
    return largest / bareLargest
  } finally {
    bare.close()
  }
}

async function paintOf(browser: Browser, url: string): Promise<Paint> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await slowDown(page)
  await page.goto(url, { waitUntil: 'networkidle' })
  const paint = await page.evaluate(
    () =>
      new Promise<Paint>(resolve => {
        new PerformanceObserver(list => {
          const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
          const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
          const sum = (entries: PerformanceResourceTiming[]) =>
            entries.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0)
          const isCss = ({ name }: PerformanceEntry) => name.endsWith('.css')
          resolve({
            largest: list.getEntries().at(-1)!.startTime,
            bytes: {
              html: navigation!.encodedBodySize,
              css: sum(loaded.filter(isCss)),
              other: sum(loaded.filter(entry => !isCss(entry))),
            },
          })
        }).observe({ type: 'largest-contentful-paint', buffered: true })
      }),
  )
  await context.close()
  return paint
}

/** A page of a heading and a line of text, with a style sheet and a script of nothing but comments. */
async function serveBare({ html, css, other }: Paint['bytes']): Promise<{ url: string; close(): void }> {
  const filler = (bytes: number) => `/*${'x'.repeat(Math.max(0, bytes - 4))}*/`
  const head =
    '<!doctype html><title>Bare</title><link rel="stylesheet" href="/a.css"><script type="module" src="/a.js">'
  const body =
    '</script><h1>Launch a Stellar anchor</h1><p>As much text as takes a line or two on a phone.</p>'
  const files: Record<string, [type: string, body: string]> = {
    '/': [
      'text/html',
      `${head}${body}<!--${'x'.repeat(Math.max(0, html - head.length - body.length - 7))}-->`,
    ],
    '/a.css': ['text/css', filler(css)],
    '/a.js': ['text/javascript', filler(other)],
  }
  const server = createServer((request, response) => {
    const [type, text] = files[request.url ?? ''] ?? ['text/plain', '']
    response.writeHead(200, { 'content-type': type }).end(text)
  })
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
