import { Busboy } from '@fastify/busboy'
import { isSep9File } from './sep9-files.ts'

/** The parts of a form, in order. */
export interface Parts {
  texts: [name: string, value: string][]
  files: [name: string, bytes: Buffer][]
}

/** In bytes: what is cut off is far more than a field may have. */
const FIELD_SIZE = 10_000

/**
 * A multipart form (RFC 7578). A part is a file where it has a filename, where its content type is no text, or where
 * SEP-9 knows its name as a file's: wallets' libraries send bytes without a filename. Parts beyond `most` are dropped.
 * Throws for what is no such form.
 */
export function readMultipart(raw: Buffer, contentType: string, most: number): Promise<Parts> {
  return new Promise((resolve, reject) => {
    const parts: Parts = { texts: [], files: [] }
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: (name, type, filename) =>
        filename !== undefined || isSep9File(name ?? '') || !(type ?? 'text/plain').startsWith('text/'),
      limits: { parts: most, fieldSize: FIELD_SIZE, headerPairs: 20 },
    })
    parser.on('field', (name, value) => parts.texts.push([name ?? '', value]))
    parser.on('file', (name, stream) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', reject)
      stream.on('end', () => parts.files.push([name ?? '', Buffer.concat(chunks)]))
    })
    parser.on('finish', () => resolve(parts))
    parser.on('error', reject)
    parser.end(raw)
  })
}
