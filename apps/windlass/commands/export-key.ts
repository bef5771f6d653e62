import { generateBoxKeys } from '@windlass/service/seals/sealed-box.ts'
import { writeFileSync } from 'node:fs'
import { type Command, readFlags, UsageError } from '../command.ts'

export const exportKey: Command = {
  summary: "makes the key that opens the export of an anchor's data",
  usage: `npm run export:key -- FILE

Writes a private key into FILE, which must not exist, and prints its public key. Set the public key for your anchor
(Anchor, Set export key): what is encrypted in its export, once the anchor is removed, is then opened with FILE alone.
Keep FILE where you keep your books: without it nobody but the platform opens them.`,
  run: async ({ args, progress }) => {
    const [file] = readFlags(args, [], 1).words
    if (file === undefined) throw new UsageError('Name the file of the private key')
    const { publicKey, privateKey } = generateBoxKeys()
    writeFileSync(file, `${privateKey}\n`, { mode: 0o600, flag: 'wx' })
    progress.plain(publicKey)
    return 0
  },
}
