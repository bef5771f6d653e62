import { copyFile, open, rename, rm, stat, truncate } from 'node:fs/promises'

const KEPT = 3

/**
 * Puts a log that has grown past `maxBytes` aside as `.1` (`.2`, `.3` are older). Its writer keeps the file open in
 * append mode, so it is copied and emptied rather than moved.
 */
export async function rotate(file: string, maxBytes: number): Promise<void> {
  const size = await stat(file).then(
    found => found.size,
    () => 0,
  )
  if (size <= maxBytes) return
  await rm(`${file}.${KEPT}`, { force: true })
  for (let number = KEPT - 1; number >= 1; number--) {
    await rename(`${file}.${number}`, `${file}.${number + 1}`).catch(() => undefined)
  }
  await copyFile(file, `${file}.1`)
  await truncate(file)
}

/** The last lines of a file, of at most 64 KB; none where there is no file. */
export async function lastLines(file: string, count: number): Promise<string[]> {
  const handle = await open(file, 'r').catch(() => null)
  if (!handle) return []
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, 65_536)
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    const lines = buffer.toString('utf8').split('\n')
    return lines.filter(line => line.trim() !== '').slice(-count)
  } finally {
    await handle.close()
  }
}
