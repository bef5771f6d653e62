/** What is wrong with a target, or `null`: an `http` or `https` address without credentials, query and fragment. */
export function refuseTarget(text: string): string | null {
  if (!URL.canParse(text)) return 'the target is not an address'
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the target must be http or https'
  if (url.username || url.password) return 'the target must not carry credentials'
  if (url.search || url.hash) return 'the target must not have a query or fragment'
  return null
}
