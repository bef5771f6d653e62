import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'

/** The system account that Postgres runs as. */
export interface Account {
  name: string
  uid: number
  gid: number
}

const PREFERRED_ACCOUNTS = ['postgres', '_postgres', 'nobody', 'daemon']

/**
 * Postgres refuses to run as root. Under root this is the unprivileged account to run it as: the owner of an
 * existing data folder, else the first of the accounts every system has. Undefined: the current user.
 *
 * @throws {Error} when the current uid has no passwd entry (initdb looks its own name up and stops without one),
 * or when we are root and no unprivileged account exists.
 */
export function accountFor(dataFolder: string): Account | undefined {
  if (process.platform === 'win32' || process.getuid === undefined) return undefined
  if (process.getuid() !== 0) {
    requireOwnName(process.getuid())
    return undefined
  }
  const accounts = readAccounts()
  const owner = ownerOf(dataFolder)
  if (owner !== undefined && owner.uid !== 0) {
    const name = accounts.find(account => account.uid === owner.uid)?.name
    if (name === undefined) throw new Error(noNameMessage(owner.uid))
    return { name, ...owner }
  }
  for (const name of PREFERRED_ACCOUNTS) {
    const account = accounts.find(entry => entry.name === name && entry.uid > 0)
    if (account !== undefined) return account
  }
  throw new Error(
    `Postgres does not run as root, and this machine has none of the accounts ${PREFERRED_ACCOUNTS.join(', ')} ` +
      'to run it as. Create one (for example: useradd --system postgres), or start as another user.',
  )
}

function requireOwnName(uid: number): void {
  try {
    userInfo()
  } catch {
    throw new Error(noNameMessage(uid))
  }
}

function noNameMessage(uid: number): string {
  return (
    `The user id ${uid} has no entry in the passwd database, and Postgres cannot set up a data folder for a user ` +
    `without a name. Add one, for example: echo 'windlass:x:${uid}:${uid}::/tmp:/bin/sh' >> /etc/passwd, or point ` +
    'the *_DATABASE_URL variables at a Postgres of your own.'
  )
}

function readAccounts(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'))
    .filter(fields => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

function ownerOf(folder: string): { uid: number; gid: number } | undefined {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found && { uid: found.uid, gid: found.gid }
}

/** Whether the account may enter every folder above `path` (existing ones; the others are created). */
export function canReach(account: Account, path: string): boolean {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const found = statSync(folder, { throwIfNoEntry: false })
    if (found !== undefined && !mayEnter(account, found)) return false
    if (folder === dirname(folder)) return true
  }
}

function mayEnter(account: Account, folder: { uid: number; gid: number; mode: number }): boolean {
  if (folder.uid === account.uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === account.gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}
