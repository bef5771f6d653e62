import axe, { type AxeResults } from 'axe-core'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

/** Debian's. The headless shell is Chromium without its windows, and takes a quarter less processor time. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const CHROMIUM = process.env.CHROMIUM_PATH ?? PLACES.find(place => existsSync(place)) ?? ''

/** Whether this machine has a Chromium; says loudly what is skipped where it has not. */
export function hasChromium(what: string): boolean {
  if (existsSync(CHROMIUM)) return true
  const missing = `no Chromium at ${CHROMIUM || PLACES.join(' or ')}`
  console.warn(`SKIPPED: ${what}: ${missing} (apt-get install chromium-headless-shell, or set CHROMIUM_PATH)`)
  return false
}

/** `flags`: further ones of Chromium's. */
export const openBrowser = (flags: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  })

export const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } } as const

export interface Watched {
  page: Page
  context: BrowserContext
  /** Errors of the console, failed scripts and refusals of the content security policy. */
  faults: string[]
}

/** Whom the browser remembers to have signed in (see session-hint.ts). */
type SignedInBefore = 'operator' | 'administrator' | 'customer'

/**
 * A visitor with a context of their own, for tests that change it: its clock, its functions, a second visitor.
 * `locale`: what the browser prefers. `timeZone`: where it is.
 */
export async function visit(
  browser: Browser,
  signedInBefore?: SignedInBefore,
  locale?: string,
  timeZone?: string,
): Promise<Watched> {
  const context = await newContext(browser, locale, timeZone)
  const page = await context.newPage()
  return { context, page, faults: await watch(page, signedInBefore) }
}

const sharedPages = new WeakMap<Browser, Page>()
let visitors = 0

/**
 * The page for a new visitor, one for all of a browser's visitors, one after another: a new page has a process that loads
 * and compiles everything again, which doubles the work. Forgets what the visitor before left, except for what a page
 * cannot undo, such as a false clock: tests that need these use `visit`.
 */
export async function openPage(
  browser: Browser,
  signedInBefore?: SignedInBefore,
): Promise<Pick<Watched, 'page' | 'faults'>> {
  const known = sharedPages.get(browser)
  const page = known && !known.isClosed() ? known : await (await newContext(browser)).newPage()
  sharedPages.set(browser, page)
  await leave(page)
  await page.setViewportSize(sizes.desktop)
  await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce', forcedColors: null, media: null })
  return { page, faults: await watch(page, signedInBefore) }
}

/** Ends what the page does, and what listens to it. */
async function leave(page: Page): Promise<void> {
  const context = page.context()
  await Promise.all(context.pages().map(each => each !== page && each.close()))
  page.removeAllListeners()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  // By itself: a blank page that Playwright opens ends the process, and with it what is compiled.
  await page.evaluate(() => location.replace('about:blank')).catch(() => page.goto('about:blank'))
  await page.waitForURL('about:blank')
  await context.clearCookies()
}

async function newContext(browser: Browser, locale = 'en-GB', timezoneId = 'UTC'): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: sizes.desktop,
    reducedMotion: 'reduce',
    locale,
    timezoneId,
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  context.setDefaultTimeout(60_000)
  return context
}

/** Gives the page to a new visitor: every place has forgotten others. What a page must not do is written down. */
async function watch(page: Page, signedInBefore: SignedInBefore | undefined): Promise<string[]> {
  await page.addInitScript(
    ({ visitor, name }) => {
      // Once: what the visitor does from then on must last. A frame without an origin has no storage.
      if (origin === 'null' || Number(sessionStorage.getItem('visitor')) >= visitor) return
      localStorage.clear()
      sessionStorage.clear()
      if (name) localStorage.setItem(`windlass.${name}`, '1')
      sessionStorage.setItem('visitor', String(visitor))
    },
    { visitor: ++visitors, name: signedInBefore },
  )
  const faults: string[] = []
  page.on('pageerror', error => faults.push(`page error: ${error.message}`))
  page.on('console', message => {
    // A refused request is the page's to explain; the browser's own line about it is no fault of the page.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      faults.push(message.text())
  })
  return faults
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What a colour scheme can break. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** What axe finds on the page by these tags or rules, one line for each element. */
export async function violations(page: Page, rules: readonly string[] = RULES): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe.source)
  // Only what is wrong comes over: the whole result is ten times as long as the scan.
  const found = await page.evaluate<AxeResults['violations']>(
    `axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'], iframes: false })
      .then(result => result.violations)`,
  )
  return found.flatMap(rule =>
    rule.nodes.map(node => `${rule.id}: ${node.target.join(' ')} – ${node.failureSummary ?? ''}`),
  )
}

/** By how many pixels the page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))

/** Tables whose last columns are out of sight: their frame shows no more than its width. */
const cutTables = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('table')]
      .filter(
        table => table.checkVisibility() && table.offsetWidth > (table.parentElement?.clientWidth ?? 0) + 1,
      )
      .map(table => table.caption?.textContent ?? 'a table'),
  )

/** Words of up to 20 letters that continue on the next line inside the word; codes and addresses may. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const broken: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const node = texts.currentNode
      const parent = node.parentElement
      if (!parent?.checkVisibility() || parent.closest('code, pre, select, script, .font-mono')) continue
      for (const { 0: word, index } of (node.textContent ?? '').matchAll(
        /(?<![^\s])\p{L}{2,20}(?![^\s.,;:!?])/gu,
      )) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
        if (new Set(tops).size > 1) broken.push(word)
      }
    }
    return broken
  })

/** Keeps a picture where SCREENSHOTS names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

const everything = process.env.MODE === 'faults'

/** Sizes and schemes of a screen: it is scanned and its colors are compared at one size, with `--mode=faults` at both. */
const LOOKS = (['desktop', 'phone'] as const).flatMap(size =>
  (['light', 'dark'] as const).map(scheme => ({
    size,
    scheme,
    isScanned: size === 'desktop' || everything,
  })),
)

/** Screens share components and tokens: every third is compared in the dark scheme, with `--mode=faults` each one. */
const isComparedInTheDark = (name: string): boolean => everything || Buffer.byteLength(name) % 3 === 0

/** Classes that no style names: what they should have done is missing, and nothing else shows it. */
const unknownClasses = (page: Page) =>
  page.evaluate(() => {
    const known = new Set<string>()
    const read = (rules: CSSRuleList): void => {
      for (const rule of rules) {
        if (rule instanceof CSSStyleRule)
          for (const [, name = ''] of rule.selectorText.matchAll(/\.((?:\\.|[\w-])+)/g))
            known.add(name.replaceAll(/\\(.)/g, '$1'))
        if (rule instanceof CSSStyleRule || rule instanceof CSSGroupingRule) read(rule.cssRules)
      }
    }
    for (const sheet of document.styleSheets) read(sheet.cssRules)
    const used = [...document.querySelectorAll('[class]')].flatMap(each => [...each.classList])
    return [...new Set(used)].filter(name => !known.has(name) && !name.startsWith('lucide'))
  })

/**
 * What is wrong with a screen at either size and in either scheme: violations, sideways overflow, faults. It is
 * opened once; the window and the scheme change around it. The dark scheme is checked for its colors.
 */
export async function faultsOfScreen(
  browser: Browser,
  name: string,
  show: (page: Page) => Promise<void>,
  signedInBefore?: SignedInBefore,
): Promise<string[]> {
  const { page, faults } = await openPage(browser, signedInBefore)
  await show(page)
  const found: string[] = []
  for (const { size, scheme, isScanned } of LOOKS) {
    // A scheme changes nothing but colors.
    const isCompared = isScanned && isComparedInTheDark(name)
    if (scheme === 'dark' && !isCompared && !process.env.SCREENSHOTS) continue
    await page.setViewportSize(sizes[size])
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await picture(page, `${name}-${size}-${scheme}`)
    const wider = await overflow(page)
    if (wider > 0) found.push(`${size} ${scheme}: ${wider} px wider than its window`)
    found.push(...(await brokenWords(page)).map(word => `${size} ${scheme}: “${word}” is broken inside`))
    found.push(...(await cutTables(page)).map(name => `${size} ${scheme}: the table “${name}” is cut`))
    if (!isScanned) continue
    if (scheme === 'light')
      found.push(...(await unknownClasses(page)).map(each => `${size}: no style has ${each}`))
    const wrong = await violations(page, scheme === 'light' ? RULES : COLOR_RULES)
    found.push(...wrong.map(line => `${size} ${scheme}: ${line}`))
  }
  return [...found, ...faults]
}
