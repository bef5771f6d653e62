import { StrKey } from '@stellar/stellar-sdk/base'
import { PUBLIC_NETWORK } from '../network.ts'
import type { History } from './prove.ts'
import { KNOWN_NETWORKS, type Organization } from './validators.ts'

/**
 * HISTORY_ARCHIVES and VALIDATORS. The public network's are known; elsewhere archives are named, and validators too
 * unless it is the public test network. Null: nothing is proven.
 *
 * @throws {Error} naming the setting that is wrong
 */
export function historyIn(
  variables: Readonly<Record<string, string | undefined>>,
  passphrase: string,
): History | null {
  const { HISTORY_ARCHIVES: given, VALIDATORS: named } = variables
  const known = KNOWN_NETWORKS[passphrase]
  if (given === 'none' || (!given && passphrase !== PUBLIC_NETWORK)) return null
  const archives = given ? given.split(',').map(archiveOf) : (known?.archives ?? [])
  const organizations = named ? named.split(';').map(organizationOf) : (known?.organizations ?? [])
  if (organizations.length === 0) throw new Error(`VALIDATORS must be set with HISTORY_ARCHIVES: ${FORM}`)
  return { passphrase, organizations, archives }
}

const FORM = 'the validators of each organization, such as example.org=G…,G…,G…;example.com=G…,G…,G…'

function archiveOf(text: string): string {
  const url = text.trim()
  if (!URL.canParse(url)) throw new Error('HISTORY_ARCHIVES must be addresses, separated by commas, or none')
  return url.replace(/\/+$/, '')
}

function organizationOf(text: string): Organization {
  const [domain = '', keys = ''] = text.split('=').map(part => part.trim())
  const validators = keys.split(',').map(key => key.trim())
  if (domain === '' || !validators.every(key => StrKey.isValidEd25519PublicKey(key)))
    throw new Error(`VALIDATORS must be ${FORM}`)
  return { domain, validators }
}
