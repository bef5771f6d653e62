/** The token in an address: in the fragment, which no server sees, or (from hand-made links) in the query. */
export function tokenIn(address: {
  hash: string
  search: string
}): { token: string; inQuery: boolean } | undefined {
  const inFragment = new URLSearchParams(address.hash.replace(/^#/, '')).get('token')
  if (inFragment) return { token: inFragment, inQuery: false }
  const inQuery = new URLSearchParams(address.search).get('token')
  return inQuery ? { token: inQuery, inQuery: true } : undefined
}

/** The token in what a person pasted: the whole link, or the token alone. */
export function tokenInPasted(pasted: string): string {
  const text = pasted.trim()
  if (!URL.canParse(text)) return text
  return tokenIn(new URL(text))?.token ?? text
}
