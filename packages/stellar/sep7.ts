/** A link that asks a wallet to sign a transaction, by SEP-7, which wants spaces as %20. */
export function signingLink(query: {
  xdr: string
  pubkey: string
  network_passphrase: string
  callback?: string
}): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `web+stellar:tx?${pairs.join('&')}`
}
