import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { loadedCatalogues, type Translations } from '../catalogue.ts'
import { PSEUDO_LOCALE } from '../pseudo-locale.ts'
import { overflow, sizes } from './browser.ts'

const UI = join(import.meta.dirname, '..')

/** How the Spanish texts of the console in this folder differ from its catalogues, one line for each name. */
export async function untranslated(folder: string): Promise<string[]> {
  const english = [
    ...filesIn(folder, '**/*texts.ts'),
    ...filesIn(UI, '{texts,console/*-texts,console/audit-entry}.ts'),
  ]
  const spanish = [...filesIn(folder, '**/{spanish*,*-es}.ts'), ...filesIn(UI, 'console/{spanish,*-es}.ts')]
  if (english.length < 7 || spanish.length < 7) throw new Error('Too few files: nothing was compared.')
  await load(english)
  const translations = await load(spanish)
  return compare(Object.fromEntries(loadedCatalogues()), Object.assign({}, ...translations), '')
}

const filesIn = (folder: string, pattern: string): string[] =>
  globSync(pattern, {
    cwd: folder,
    exclude: name => name === 'node_modules' || name === 'dist' || name.endsWith('.test.ts'),
  }).map(name => join(folder, name))

const load = (files: string[]): Promise<Translations[]> =>
  Promise.all(files.map(file => import(/* @vite-ignore */ file) as Promise<Translations>))

function compare(english: object, other: object, path: string): string[] {
  const names = new Set([...Object.keys(english), ...Object.keys(other)])
  return [...names].flatMap(name => {
    const [text, translated] = [english, other].map(texts => (texts as Record<string, unknown>)[name])
    const place = path ? `${path}.${name}` : name
    if (typeof text !== typeof translated)
      return [`${place}: ${typeof text}, in Spanish ${typeof translated}`]
    // A map that has entries only in other languages.
    if (typeof text === 'object' && Object.keys(text!).length === 0) return []
    if (text === '' || translated === '')
      return text === translated ? [] : [`${place}: empty in one language`]
    return typeof text === 'object' ? compare(text!, translated!, place) : []
  })
}

/** Makes the page's documents those of the pseudo-locale, without what was built into them. */
export async function usePseudoLocale(page: Page): Promise<void> {
  await page.route('**/*', async route => {
    if (route.request().resourceType() !== 'document') return route.continue()
    const response = await route.fetch()
    const html = (await response.text())
      .replace(/<html lang="[^"]*">/, `<html lang="${PSEUDO_LOCALE}">`)
      .replace(/<div id="root">.*<\/div>(?=\s*<noscript>)/s, '<div id="root"></div>')
    return route.fulfill({ response, body: html })
  })
}

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
