import { randomUUID } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { attachFiles, receiveFile } from '../files.ts'

export const PNG = Buffer.from('89504e470d0a1a0a0001', 'hex')

/** Uploads a file, in chunks, which waits until `PUT /customer` names it. */
export async function upload(deps: Deps, bytes = PNG, name = 'photo_id_front'): Promise<string> {
  const id = randomUUID()
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 60_000) yield bytes.subarray(at, at + 60_000)
  }
  await receiveFile(deps, { id, name }, chunks())
  return id
}

/** Gives a customer a file. */
export async function giveFile(deps: Deps, customerId: string, name: string, bytes = PNG): Promise<void> {
  const id = await upload(deps, bytes, name)
  await deps.database.db.transaction().execute(tx => attachFiles(tx, deps.sealer, customerId, { [name]: id }))
}

/** The bytes of a file that was opened. */
export async function bytesOf(file: { pieces: AsyncIterable<Buffer> } | null): Promise<Buffer | null> {
  return file && Buffer.concat(await Array.fromAsync(file.pieces))
}
