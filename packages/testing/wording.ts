import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))

/** Phrases that slow readers down, and what to write instead (CONTRIBUTING.md, "How we write"). */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\bwhoever\b/i, 'anyone who'],
  [/\bthereby\b|\bthereof\b/i, 'so'],
  [/\bwherein\b|\bwhereof\b|\bwhereupon\b/i, 'where'],
  [/\bwhence\b|\bhence\b/i, 'so, from where'],
  [/\bfor ever\b/i, 'permanently'],
  [/\bunless told\b/i, 'by default'],
  [/\b(?:is|are|was|were|be|been) told\b/i, 'is sent, knows, hears'],
  [/\blest\b/i, 'so that … not'],
  [/\bsomebody\b/i, 'someone'],
  [/\bonce more\b/i, 'again'],
  [/\bseldom\b/i, 'rarely'],
  [/\bquicker\b/i, 'faster'],
  [/\bnow and then\b/i, 'sometimes'],
  [/\bgoes on\b/i, 'continues'],
  [/\bin vain\b/i, 'without result'],
  [/\blies (?:in|below|under|encrypted|sealed)\b/i, 'is in, is stored'],
  [/\bheard of\b|\bhears of\b/i, 'received, learns of'],
  [/\bdoorbell\b|\bsilentBells\b|\bbells\b/i, 'notification, wake'],
  [/\btakeIn\b|\bgoOn\b|\bgoneOn\b/, 'accept, continue'],
  [/^\s*(?:\/\*\*|\*|\/\/) Of\b/, 'a comment that begins with a verb or a noun'],
  [/\bby dint of\b|\bbethink\b|\bbehold\b/i, 'plain words'],
]

const EXEMPT = /^(packages\/testing\/wording|CONTRIBUTING|CHANGELOG|docs\/adr\/)/

/**
 * Banned phrases in code, texts and documentation, one line each.
 *
 * @throws {Error} when so few files were read that nothing was checked.
 */
export function bannedPhrases(): string[] {
  const files = globSync(
    '{README.md,boot.mjs,.changeset/*.md,{apps,packages,e2e,bench,docs,deploy}/**/*.{ts,tsx,mjs,css,html,md,sql,yml}}',
    {
      cwd: CHECKOUT,
      exclude: name => ['node_modules', 'dist', 'migrations', '.windlass'].includes(name),
    },
  ).filter(path => !EXEMPT.test(path))
  if (files.length < 500) throw new Error(`only ${files.length} files were read: nothing was checked`)
  return files.flatMap(path =>
    readFileSync(join(CHECKOUT, path), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        BANNED.filter(([pattern]) => pattern.test(line)).map(
          ([pattern, better]) => `${path}:${index + 1}: "${pattern.exec(line)?.[0]}": write ${better}`,
        ),
      ),
  )
}

/** A page, with its table. */
const MOST_WORDS = 620

/** Decisions longer than a page: what is a guide goes to the guides. One line each. */
export const longDecisions = (): string[] =>
  globSync('docs/adr/[0-9]*.md', { cwd: CHECKOUT })
    .map(path => [path, readFileSync(join(CHECKOUT, path), 'utf8').split(/\s+/).length] as const)
    .filter(([, words]) => words > MOST_WORDS)
    .map(([path, words]) => `${path}: ${words} words: write at most ${MOST_WORDS}`)

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const found = [...bannedPhrases(), ...longDecisions()]
  found.forEach(line => console.error(line))
  process.exitCode = found.length === 0 ? 0 : 1
}
