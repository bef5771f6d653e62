/** The public address of an anchor: plain http on `localhost` and below it, https everywhere else. */
export function addressOf(homeDomain: string): string {
  const host = homeDomain.replace(/:\d+$/, '')
  return `${host === 'localhost' || host.endsWith('.localhost') ? 'http' : 'https'}://${homeDomain}`
}
