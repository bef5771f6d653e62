import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import type { UserConfig } from 'vite'
import { languages, type Language } from '../catalogue.ts'
import { PSEUDO_LOCALE } from '../pseudo-locale.ts'
import { leanContracts } from './lean-contracts.ts'
import { oneLanguage, type BuildLanguage } from './one-language.ts'
import { firstScript, prerenderPages } from './pages.ts'
import { precompress } from './precompress.ts'

const alias = [
  { find: /^typebox$/, replacement: fileURLToPath(new URL('plain-schemas.ts', import.meta.url)) },
]

/** What the frame of every page needs: React, the router, the cache, and the texts and parts of the frame. */
const BASE = [
  /\/node_modules\/(react|react-dom|scheduler|react-router)\//,
  /\/packages\/client\//,
  /\/packages\/ui\/(catalogue|texts|class-names|icons|hydration|page-error|page|theme|brand|button|language-switch|pseudo-locale)\./,
  /\/packages\/ui\/console\/(mount|errors|query|connection|paths|site-shell|fallback-pages)\./,
  /\/apps\/[^/]+\/(paths|texts)\./,
]

/** The query cache, which pages without requests do without. */
const QUERIES = [
  /\/node_modules\/@tanstack\/(?!.*(queries|infinite|mutationObserver|useMutation))/i,
  /\/packages\/ui\/console\/(queries|query-frame)\./,
]

/** What pages with a form load. */
const FORMS = [/\/packages\/ui\/(form|field|focus-field|error-summary|choices)\./]

const AMOUNTS = [/\/packages\/money\//]

const group = (name: string, parts: RegExp[]) => ({
  name,
  test: (id: string) => parts.some(part => part.test(id)),
})

/**
 * The build of every console, `export default consoleBuild(import.meta.dirname)` in its vite.config.ts: one for each
 * language. With `--mode en-XA` it is for the pseudo-locale alone.
 */
export const consoleBuild =
  (root: string) =>
  ({ mode }: { mode: string }): UserConfig => {
    const known = Object.keys(languages) as Language[]
    const [first, ...others] = mode === PSEUDO_LOCALE ? ([PSEUDO_LOCALE] as const) : known
    const scripts = scriptsOf(root, first!)
    const pages = prerenderPages([first!, ...others], {
      scripts: language => scriptsOf(root, language),
      pages: language => consoleSources(root, language),
    })
    return { ...scripts, plugins: [...scripts.plugins, pages] }
  }

/** How a console's sources are read: as the build of one language, or with both, of which the page chooses. */
export const consoleSources = (root: string, language?: BuildLanguage) =>
  ({
    root,
    plugins: [...(language ? [oneLanguage(language)] : []), leanContracts(), react()],
    resolve: { alias },
  }) satisfies UserConfig

/** What browsers load in one language. */
function scriptsOf(root: string, language: BuildLanguage) {
  const sources = consoleSources(root, language)
  return {
    ...sources,
    plugins: [...sources.plugins, tailwind(), firstScript(), precompress()],
    build: {
      target: ['chrome125', 'edge125', 'firefox128', 'safari17.5'],
      outDir: 'dist',
      emptyOutDir: true,
      // The content security policy forbids data: URLs, so small files are not inlined.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        // Names would take a kilobyte of the first script, which lists what each page preloads.
        output: {
          chunkFileNames: 'assets/[hash].js',
          // In one file what pages share compresses better, and the list of preloads is shorter.
          codeSplitting: {
            groups: [
              group('base', BASE),
              group('queries', QUERIES),
              group('forms', FORMS),
              group('amounts', AMOUNTS),
            ],
          },
        },
        // `"use client"` has no meaning without a React server.
        onLog: (level, log, next) => {
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') next(level, log)
        },
      },
    },
  } satisfies UserConfig
}
