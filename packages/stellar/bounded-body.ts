/** An answer that is larger than anyone reads. */
class TooLarge extends Error {
  constructor(most: number) {
    super(`the answer has more than ${most} bytes`)
  }
}

/** The most that any answer of Horizon may have, after it was decompressed: a page of 200 usual transactions has some 2 MB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/**
 * Reads a body up to a size: what comes is counted after decompression, so a small file cannot become a large one.
 *
 * @throws {TooLarge}
 */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null | undefined,
  most = MAX_ANSWER_BYTES,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > most) throw new TooLarge(most)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
