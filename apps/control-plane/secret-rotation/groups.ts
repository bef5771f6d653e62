import type { Slot } from '@windlass/runtimes/runtime.ts'
import { derivedKeys, parseKeyring } from '@windlass/service/seals/seal.ts'
import type { Transaction } from 'kysely'
import { randomKeyring, randomSecret, type SecretRole, type Vault } from '../anchors/vault.ts'
import { replacePasswords } from '../servers/database.ts'
import type { Tables } from '../tables.ts'

type Replace = (tx: Transaction<Tables>, vault: Vault, slot: Slot) => Promise<void>

/** An anchor's own secrets as operators name them, with how new ones are stored in its vault. */
const groups: Readonly<Record<string, Replace>> = {
  // The passwords of the database's owner and of both servers.
  database: replacePasswords,
  // Signs wallets' tokens and the links of interactive pages.
  tokens: async (tx, vault) => {
    await keepDerivedKey(tx, vault, { keyring: 'sep_details', from: 'sep_jwt', key: derivedKeys.sep })
    await replace(tx, vault, 'sep_jwt')
  },
  // By which the anchor and the platform prove themselves to each other.
  platform: (tx, vault) => replace(tx, vault, 'service', 'summary'),
  // Between its two servers.
  link: async (tx, vault) => {
    await keepDerivedKey(tx, vault, { keyring: 'details', from: 'link', key: derivedKeys.business })
    await replace(tx, vault, 'link')
  },
  signer: (tx, vault) => replace(tx, vault, 'signer_sep', 'signer_business'),
  // Encrypts customers' details: the new key encrypts, and older ones still decrypt.
  details: async (tx, vault) => {
    await addKey(tx, vault, 'details', 1)
    await addKey(tx, vault, 'sep_details', 2)
  },
}

export const groupNames: readonly string[] = Object.keys(groups)

/** Stores new secrets of these groups. */
export async function replaceSecrets(
  tx: Transaction<Tables>,
  vault: Vault,
  { names, slot }: { names: readonly string[]; slot: Slot },
): Promise<void> {
  for (const name of groupNames) if (names.includes(name)) await groups[name]?.(tx, vault, slot)
}

async function replace(tx: Transaction<Tables>, vault: Vault, ...roles: SecretRole[]): Promise<void> {
  for (const role of roles) await vault.replace(tx, role, randomSecret)
}

type Keyring = 'details' | 'sep_details'

async function addKey(tx: Transaction<Tables>, vault: Vault, role: Keyring, first: number): Promise<void> {
  const { secret } = await vault.ensure(tx, role, () => randomKeyring(first))
  const { secret: added } = randomKeyring(Math.max(...parseKeyring(secret).keys()) + 1)
  await vault.replace(tx, role, () => ({ secret: `${added},${secret}` }))
}

interface Derived {
  keyring: Keyring
  from: SecretRole
  key: (typeof derivedKeys)[keyof typeof derivedKeys]
}

/** Servers decrypt what earlier releases encrypted by a key that follows from another secret: it must outlive that one. */
async function keepDerivedKey(
  tx: Transaction<Tables>,
  vault: Vault,
  { keyring, from, key }: Derived,
): Promise<void> {
  const { secret } = await vault.ensure(tx, keyring, () => randomKeyring(key.version + 1))
  if (parseKeyring(secret).has(key.version)) return
  const derived = key.derive((await vault.get(tx, from)).secret).toString('base64')
  await vault.replace(tx, keyring, () => ({ secret: `${secret},v${key.version}:${derived}` }))
}
