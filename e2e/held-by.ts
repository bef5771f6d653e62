import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/** The rows of a table in a document whose first cell is an id of this form; the last cell says what holds them. */
export function rowsOf(document: string, id: RegExp): { row: string; heldBy: string }[] {
  return readFileSync(root + document, 'utf8')
    .split('\n')
    .map(line => /^\| (\S+) \| (.+) \| (.+) \|$/.exec(line))
    .flatMap(match =>
      match && id.test(match[1] ?? '') ? [{ row: match[1] ?? '', heldBy: match[3] ?? '' }] : [],
    )
}

/** What is wrong with a reference, which is `path › name` where a test of that name stands in the file; null: nothing. */
export function problemWith(reference: string): string | null {
  const [path = '', name = ''] = reference.split(' › ').map(part => part.replaceAll('`', '').trim())
  if (!existsSync(root + path)) return `there is no ${path}`
  const source = readFileSync(root + path, 'utf8').replaceAll("\\'", "'")
  return name !== '' && source.includes(name) ? null : `${path} has no test "${name}"`
}
