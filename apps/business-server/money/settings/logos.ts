import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'
import type { Tables } from '../../tables.ts'
import { readImage } from './image.ts'

const MAX_BYTES = 64 * 1024
const MAX_SIDE = 1024
/** Uploads that no settings name need no room for more than this many. */
const MAX_LOGOS = 100

/** Stores a logo under the hash of its picture. Throws `validation-failed` for anything but a PNG or JPEG of this size. */
export async function addLogo(db: Db<Tables>, by: string, data: string) {
  const file = Buffer.from(data, 'base64')
  if (file.length > MAX_BYTES) throw invalid('data', 'must be a file of at most 64 KB')
  const image = readImage(file)
  if (!image) throw invalid('data', 'must be a PNG or JPEG file that is not damaged')
  const { width, height, bytes, mediaType } = image
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    throw invalid('data', `must be at most ${MAX_SIDE} pixels wide and high`)
  const id = createHash('sha256').update(bytes).digest('hex')
  const { count } = await db
    .selectFrom('logos')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_LOGOS) throw invalid('data', `is one too many: an anchor keeps ${MAX_LOGOS} logos`)
  await db
    .insertInto('logos')
    .values({ id, media_type: mediaType, content: bytes, by })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return { id, width, height }
}

export async function findLogo(db: Db<Tables>, id: string) {
  if (!/^[0-9a-f]{64}$/.test(id)) return null
  const query = db.selectFrom('logos').select(['media_type', 'content']).where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}
