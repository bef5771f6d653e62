import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, pack, type Pack } from 'tar-stream'

/** A member of an archive: from a file on disk, or from text. */
export type Member = { name: string } & ({ path: string } | { text: string })

/** The bytes of a tar archive of these members; each is readable by its owner alone. */
export function tarOf(members: Iterable<Member>, at: Date): AsyncIterable<Buffer> {
  const archive = pack()
  addMembers(archive, members, at).then(
    () => archive.finalize(),
    error => archive.destroy(error as Error),
  )
  return archive as AsyncIterable<Buffer>
}

async function addMembers(archive: Pack, members: Iterable<Member>, at: Date): Promise<void> {
  for (const member of members) {
    const bytes = 'text' in member ? Buffer.from(member.text) : null
    const size = bytes?.length ?? (await stat((member as { path: string }).path)).size
    const content = bytes ? Readable.from([bytes]) : createReadStream((member as { path: string }).path)
    await pipeline(content, archive.entry({ name: member.name, size, mode: 0o600, mtime: at }))
  }
}

const END = Buffer.alloc(1024)

/** Calls `visit` for each member with its bytes as they come. Throws where the archive is cut off or damaged. */
export async function readTar(
  bytes: AsyncIterable<Buffer>,
  visit: (name: string) => { chunk(bytes: Buffer): void; end(): void },
): Promise<void> {
  let tail = Buffer.alloc(0)
  const archive = extract()
  // The library accepts an archive without its end mark, as one has that was cut between two members.
  async function* watched() {
    for await (const chunk of bytes) {
      tail = Buffer.concat([tail, chunk]).subarray(-END.length)
      yield chunk
    }
    if (!tail.equals(END)) throw new Error('the archive is cut off')
  }
  const reading = pipeline(watched, archive)
  const visiting = (async () => {
    for await (const entry of archive) {
      const sink = visit(entry.header.name)
      for await (const chunk of entry) sink.chunk(chunk as Buffer)
      sink.end()
    }
  })()
  await Promise.all([reading, visiting])
}
