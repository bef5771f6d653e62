import type { FastifyBaseLogger } from 'fastify'
import { EventEmitter } from 'node:events'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import type { Mail } from './mail.ts'

/** Every mail that is kept, oldest first. */
export interface Mailbox {
  list(): Mail[]
  find(id: string): Mail | undefined
  /** The mail as it came. */
  source(mail: Mail): Promise<Buffer>
  add(mail: Mail, source: Buffer): Promise<void>
  markRead(mail: Mail): Promise<void>
  remove(mail: Mail): Promise<void>
  clear(): Promise<void>
  /** Calls `listener` after every change until the returned function is called. */
  onChange(listener: () => void): () => void
}

interface Cap {
  mails: number
  bytes: number
}
const CAP: Cap = { mails: 1000, bytes: 256 * 2 ** 20 }

/**
 * Opens the mails of a folder: for each a `.eml` with its source and a `.json` with what was read from it, which is
 * written last, so that a mail is there whole or not at all. The oldest give way to the newest beyond the cap.
 */
export async function openMailbox(folder: string, logger: FastifyBaseLogger, cap = CAP): Promise<Mailbox> {
  makePrivateFolder(folder)
  const mails = new Map((await readFolder(folder, logger)).map(mail => [mail.id, mail]))
  const changes = new EventEmitter().setMaxListeners(0)
  const file = (mail: Mail, kind: 'eml' | 'json') => join(folder, `${nameOf(mail)}.${kind}`)

  const save = async (mail: Mail): Promise<void> => {
    const temporary = `${file(mail, 'json')}.new`
    await writeFile(temporary, JSON.stringify(mail), { mode: 0o600 })
    await rename(temporary, file(mail, 'json'))
  }
  const remove = async (mail: Mail): Promise<void> => {
    mails.delete(mail.id)
    await rm(file(mail, 'json'), { force: true })
    await rm(file(mail, 'eml'), { force: true })
  }
  const makeRoom = async (): Promise<void> => {
    let bytes = [...mails.values()].reduce((sum, mail) => sum + mail.size, 0)
    for (const mail of [...mails.values()]) {
      if (mails.size <= cap.mails && (bytes <= cap.bytes || mails.size === 1)) return
      bytes -= mail.size
      await remove(mail)
    }
  }
  return {
    list: () => [...mails.values()],
    find: id => mails.get(id),
    source: mail => readFile(file(mail, 'eml')),
    async add(mail, source) {
      await writeFile(file(mail, 'eml'), source, { mode: 0o600 })
      await save(mail)
      mails.set(mail.id, mail)
      await makeRoom()
      changes.emit('change')
    },
    async markRead(mail) {
      if (mail.read) return
      mail.read = true
      if (!mails.has(mail.id)) return
      await save(mail)
      changes.emit('change')
    },
    async remove(mail) {
      await remove(mail)
      changes.emit('change')
    },
    async clear() {
      await Promise.all([...mails.values()].map(remove))
      changes.emit('change')
    },
    onChange(listener) {
      changes.on('change', listener)
      return () => changes.off('change', listener)
    },
  }
}

/** Names sort by time of arrival. */
const nameOf = (mail: Mail) => `${mail.time.replace(/\D/g, '')}-${mail.id}`

async function readFolder(folder: string, logger: FastifyBaseLogger): Promise<Mail[]> {
  const files = await readdir(folder)
  const names = files.filter(name => name.endsWith('.json')).sort()
  const cutOff = files.filter(name => !names.includes(name.replace(/\.eml$/, '.json')))
  await Promise.all(cutOff.map(name => rm(join(folder, name), { force: true })))
  const read = await Promise.all(
    names.map(async name => {
      try {
        const mail = JSON.parse(await readFile(join(folder, name), 'utf8')) as Mail
        return `${nameOf(mail)}.json` === name ? [mail] : []
      } catch (error) {
        logger.warn({ err: error, name }, 'a mail cannot be read and is left out')
        return []
      }
    }),
  )
  return read.flat()
}
