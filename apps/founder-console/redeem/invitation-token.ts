/** The token in an address: in the fragment, which no server receives, or in the query of a hand-made link. */
export function tokenIn(address: {
  hash: string
  search: string
}): { token: string; inQuery: boolean } | undefined {
  const inFragment = new URLSearchParams(address.hash.replace(/^#/, '')).get('token')
  if (inFragment) return { token: inFragment, inQuery: false }
  const inQuery = new URLSearchParams(address.search).get('token')
  return inQuery ? { token: inQuery, inQuery: true } : undefined
}

/** The token in pasted text: the whole link, or only the token. */
export function tokenInPasted(pasted: string): string {
  const text = pasted.trim()
  if (!URL.canParse(text)) return text
  return tokenIn(new URL(text))?.token ?? text
}
