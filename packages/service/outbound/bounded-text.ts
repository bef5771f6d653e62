/** What ours say to each other has less. */
export const LONGEST_ANSWER = 16 * 2 ** 20

/** The text of an answer. Who sends more than `most` bytes would else fill the memory of who asks. */
export async function textWithin(
  body: AsyncIterable<Uint8Array> | null,
  most = LONGEST_ANSWER,
): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > most) throw new Error(`the answer is longer than ${most} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
