import { keyring, whereThere, type Env } from '@windlass/service/process/env.ts'
import { derivedKeys } from '@windlass/service/seals/seal.ts'

type Keys = Map<number, Buffer>

/**
 * DETAILS_KEY (`v1:<base64 of 32 bytes>`, several while one is rotated), and apart from it v0, which follows from the link
 * secret, as earlier releases had it without a key file. The SEP server has that secret too: where there is another key, v0
 * neither binds nor verifies, and nothing reads what it encrypted but what encrypts that again, once (ADR 85).
 */
export function detailsKeys(env: Env, link: string): { detailsKeys: Keys; derivedKeys: Keys } {
  const given = whereThere(env, 'DETAILS_KEY') === undefined ? [] : keyring(env, 'DETAILS_KEY')
  const { version, derive } = derivedKeys.business
  const derived = new Map([[version, new Map(given).get(version) ?? derive(link)]])
  const own = new Map([...given].filter(([each]) => each !== version))
  return { detailsKeys: own.size > 0 ? own : derived, derivedKeys: derived }
}
