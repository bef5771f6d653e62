import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const SMALLEST = 512
const best = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }

/**
 * Writes `.br` and `.gz` beside every text file of the build, so that the server compresses nothing. It reads the
 * written files: earlier, Vite has not added the chunks' preloads yet.
 */
export function precompress(): Plugin {
  return {
    name: 'windlass:precompress',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      const names = Object.keys(bundle).filter(name => /\.(js|css|svg)$/.test(name))
      const files = names.map(name => join(dir ?? 'dist', name))
      // Another language's build may have the same file.
      await Promise.all(files.filter(file => !existsSync(`${file}.br`)).map(compress))
    },
  }
}

/** Writes `.br` and `.gz` beside a file. */
export async function compress(file: string): Promise<void> {
  const source = await readFile(file)
  if (source.length < SMALLEST) return
  await Promise.all([
    promisify(brotliCompress)(source, best).then(body => writeFile(`${file}.br`, body)),
    promisify(gzip)(source, { level: 9 }).then(body => writeFile(`${file}.gz`, body)),
  ])
}
