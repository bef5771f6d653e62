import { globSync } from 'node:fs'
import { join } from 'node:path'
import { loadedCatalogues, type Translations } from '../catalogue.ts'

const UI = join(import.meta.dirname, '..')

/** How the Spanish texts of the console in this folder differ from its catalogues, one line for each name. */
export async function untranslated(folder: string): Promise<string[]> {
  const english = [
    ...filesIn(folder, '**/*texts.ts'),
    ...filesIn(UI, '{texts,console/*-texts,console/audit-entry,console/queries}.ts'),
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
