import { fileURLToPath } from 'node:url'
import { parseSync, Visitor, type Plugin } from 'vite'
import type { Language } from '../catalogue.ts'
import { PSEUDO_LOCALE } from '../pseudo-locale.ts'

/** A language that a console can be built for. */
export type BuildLanguage = Language | typeof PSEUDO_LOCALE

/** Which argument of `text` and `byLanguage` a build keeps. */
const ARGUMENT: Record<BuildLanguage, number> = { en: 0, es: 1, [PSEUDO_LOCALE]: 0 }
const CATALOGUE = /\/catalogue\.ts$/
const PSEUDO_MODULE = fileURLToPath(new URL('../pseudo-locale.ts', import.meta.url))

/**
 * Leaves the texts of one language in a build: `text('Save', 'Guardar')` becomes `'Guardar'`. Both languages stand side
 * by side in a source file, and a reader loads one of them.
 */
export function oneLanguage(language: BuildLanguage): Plugin {
  return {
    name: 'windlass:one-language',
    enforce: 'pre',
    transform: {
      filter: { id: /\.tsx?$/, code: /\/catalogue\.ts'/ },
      handler: (code, id) => ({ code: inLanguage(language, id, code), map: null }),
    },
  }
}

export function inLanguage(language: BuildLanguage, file: string, code: string): string {
  const replaced = new Map<string, { argument: number; by?: string }>()
  const edits: { start: number; end: number; by: string }[] = []
  new Visitor({
    ImportDeclaration({ source, specifiers }) {
      if (!CATALOGUE.test(source.value)) return
      for (const specifier of specifiers) {
        if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') continue
        const { name } = specifier.imported
        if (name === 'catalogue') replaced.set(specifier.local.name, { argument: 0 })
        if (name === 'byLanguage') replaced.set(specifier.local.name, { argument: ARGUMENT[language] })
        if (name === 'text') {
          const by = language === PSEUDO_LOCALE ? 'markText' : ''
          replaced.set(specifier.local.name, { argument: ARGUMENT[language], by })
        }
      }
    },
    CallExpression({ callee, arguments: given, start, end }) {
      const call = callee.type === 'Identifier' ? replaced.get(callee.name) : undefined
      const kept = call && given[call.argument]
      if (!kept) return
      edits.push({ start, end: kept.start, by: `${call.by ?? ''}(` }, { start: kept.end, end, by: ')' })
    },
  }).visit(parseSync(file, code).program)
  edits.sort((a, b) => a.start - b.start || a.end - b.end)
  let left = ''
  let from = 0
  for (const { start, end, by } of edits) {
    left += code.slice(from, start) + by
    from = end
  }
  left += code.slice(from)
  return left.includes('markText(') ? `import { markText } from '${PSEUDO_MODULE}'\n${left}` : left
}
