import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

export type Coding = 'br' | 'gzip' | 'identity'

/** A built file with the codings it was compressed to when the console was built. */
export interface ConsoleFile {
  type: string
  /** Its name holds a hash of its content. */
  hashed: boolean
  bodies: Partial<Record<Coding, Buffer>> & { identity: Buffer }
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}

/**
 * A console's built files by their path (`/assets/index-Dx3k.js`). They are few and small, so they are kept in
 * memory: what is served is what was there at start, and no path of a request ever reaches the file system.
 */
export async function readConsoleFiles(folder: string): Promise<Map<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    const [identity, br, gzip] = await Promise.all([
      readFile(file),
      readIfThere(`${file}.br`),
      readIfThere(`${file}.gz`),
    ])
    files.set(path, { type, hashed: path.startsWith('/assets/'), bodies: { identity, br, gzip } })
  }
  return files
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch {
    return undefined
  }
}

/** The smallest body the client takes (RFC 9110 §12.5.3; weights other than 0 are not compared). */
export function chooseCoding(file: ConsoleFile, acceptEncoding = ''): Coding {
  const accepted = acceptEncoding
    .toLowerCase()
    .split(',')
    .map(part => part.trim().split(/\s*;\s*/))
  const takes = (coding: string) =>
    accepted.some(([name, weight]) => name === coding && !/^q=0(\.0*)?$/.test(weight ?? ''))
  for (const coding of ['br', 'gzip'] as const) {
    if (file.bodies[coding] && takes(coding)) return coding
  }
  return 'identity'
}
