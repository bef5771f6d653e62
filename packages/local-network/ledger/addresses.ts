import { StrKey, xdr } from '@stellar/stellar-sdk'
import { Recent } from './recent.ts'

const addresses = new Recent<string, string>(20_000)
const keys = new Recent<string, xdr.PublicKey>(20_000)

/** The G… address of a key. */
function addressOf(key: Uint8Array): string {
  const raw = Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
  const known = addresses.get(raw)
  if (known) return known
  const address = StrKey.encodeEd25519PublicKey(key)
  addresses.set(raw, address)
  return address
}

/** The account behind a key or a (possibly muxed) account. */
export function accountIdOf(account: xdr.PublicKey | xdr.MuxedAccount): string {
  return addressOf(
    account.type === 'keyTypeMuxedEd25519' ? account.med25519.ed25519.value : account.ed25519.value,
  )
}

/** Address and id of a muxed account (CAP-27); undefined for a plain one. */
function muxedOf(account: xdr.MuxedAccount): { address: string; id: string } | undefined {
  if (account.type !== 'keyTypeMuxedEd25519') return undefined
  const bytes = Buffer.alloc(40)
  bytes.set(account.med25519.ed25519.value)
  bytes.writeBigUInt64BE(account.med25519.id, 32)
  return { address: StrKey.encodeMed25519PublicKey(bytes), id: account.med25519.id.toString() }
}

/** Horizon's fields for an account that may be muxed: `name`, `name_muxed`, `name_muxed_id`. */
export function accountFields(name: string, account: xdr.MuxedAccount): Record<string, string> {
  const muxed = muxedOf(account)
  const fields: Record<string, string> = { [name]: accountIdOf(account) }
  if (muxed) {
    fields[`${name}_muxed`] = muxed.address
    fields[`${name}_muxed_id`] = muxed.id
  }
  return fields
}

export function publicKeyOf(address: string): xdr.PublicKey {
  const known = keys.get(address)
  if (known) return known
  const key = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(address))
  keys.set(address, key)
  return key
}
