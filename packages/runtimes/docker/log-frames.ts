const HEADER = 8

/**
 * The lines of a container's log as the engine sends it: frames of both streams, each behind a header of a stream
 * number, three zeros and the length in four bytes (Docker Engine API, "Attach to a container").
 */
export function linesOf(frames: Buffer): string[] {
  const parts: Buffer[] = []
  for (let at = 0; at + HEADER <= frames.length;) {
    const end = at + HEADER + frames.readUInt32BE(at + 4)
    parts.push(frames.subarray(at + HEADER, end))
    at = end
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .split('\n')
    .filter(line => line !== '')
}
