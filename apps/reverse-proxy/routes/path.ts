/**
 * The path a server behind us might take a request target for: decoded once, without dot segments, repeated and
 * backward slashes. Only rules are matched on it; what is passed on is the path as it came. `null` where it cannot
 * be decoded or holds control characters.
 */
export function plainPath(requestTarget: string): string | null {
  const path = requestTarget.split(/[?#]/, 1)[0] ?? ''
  if (!path.startsWith('/')) return null
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return null
  }
  if (/[\u0000-\u001f\u007f]/.test(decoded)) return null
  const segments: string[] = []
  for (const segment of decoded.replaceAll('\\', '/').split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

/** Whole segments: `/kyc/` and `/kyc` fit `/kyc` and `/kyc/start`, and neither fits `/kycx`. */
export function hasPrefix(path: string, prefix: string): boolean {
  const stem = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
  return path === stem || path.startsWith(`${stem}/`)
}
