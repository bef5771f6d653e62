import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

interface Diagnostic {
  labels: { span: { line: number } }[]
}

/**
 * The lines that a rule of a file of this folder refuses.
 *
 * @param given what they need: other lines before them
 * @param others files that they import
 */
export async function refusedLines(
  rule: string,
  lines: readonly string[],
  given = '',
  others: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const plugin = at(`${rule.split('/')[0]}.mjs`)
  const config = { categories: { correctness: 'off' }, jsPlugins: [plugin], rules: { [rule]: 'error' } }
  const code = given + lines.map((line, index) => `export const at${index} = ${line}\n`).join('')
  const files = { '.oxlintrc.json': JSON.stringify(config), 'a.ts': code, ...others }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const oxlint = at('../../node_modules/oxlint/bin/oxlint')
  const { promise, resolve } = Promise.withResolvers<string>()
  const options = [oxlint, '--format', 'json', 'a.ts']
  execFile(process.execPath, options, { cwd: folder }, (_error, stdout) => resolve(stdout))
  const { diagnostics } = JSON.parse(await promise) as { diagnostics: Diagnostic[] }
  const first = given.split('\n').length
  const found = diagnostics.flatMap(({ labels }) => labels.map(({ span }) => span.line - first))
  return found.toSorted((a, b) => a - b).map(line => lines[line] ?? `line ${line}`)
}
