import { keyring, whereThere, type Env } from '@windlass/service/process/env.ts'
import { derivedKeys } from '@windlass/service/seals/seal.ts'

type Keys = Map<number, Buffer>

/**
 * What customers' details are encrypted with: DETAILS_KEY (`v1:<base64 of 32 bytes>`, several while one is rotated), then v0,
 * which follows from the link secret and decrypts what an anchor without a key file encrypted. The SEP server has that secret
 * too: where there is another key, v0 binds and proves nothing (ADR 85).
 */
export function detailsKeys(env: Env, link: string): { detailsKeys: Keys; bindingKeys: Keys } {
  const given = whereThere(env, 'DETAILS_KEY') === undefined ? [] : [...keyring(env, 'DETAILS_KEY')]
  const { version, derive } = derivedKeys.business
  const derived = given.some(([each]) => each === version) ? [] : [[version, derive(link)] as const]
  const all = new Map([...given, ...derived])
  const own = new Map([...all].filter(([each]) => each !== version))
  return { detailsKeys: all, bindingKeys: own.size > 0 ? own : all }
}
