import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'

/** What people upload for verification fits easily. */
const MAX_BODY_BYTES = 25 * 1024 * 1024

/** A body that says beforehand that it is too long. */
export const isTooLong = (request: IncomingMessage): boolean =>
  Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES

/**
 * A body of unknown length, counted on its way; `null` where the length is known. `onTooLong` is called once, and
 * nothing more passes.
 */
export function countedBody(request: IncomingMessage, onTooLong: () => void): Transform | null {
  if (request.headers['transfer-encoding'] === undefined) return null
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) return done(null, chunk)
      request.unpipe(counter)
      onTooLong()
    },
  })
  return request.pipe(counter)
}
