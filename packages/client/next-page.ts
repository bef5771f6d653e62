/** The next page's cursor, from `Link: <…?cursor=…>; rel="next"` (RFC 8288); undefined on the last page. */
export function nextCursor(headers: Headers): string | undefined {
  const address = /<([^>]+)>;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1]
  // The address may be relative; only its query is of interest.
  return address
    ? (new URL(address, 'http://relative.invalid').searchParams.get('cursor') ?? undefined)
    : undefined
}
