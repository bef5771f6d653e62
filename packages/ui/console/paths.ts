/** A path with those query parameters that have a value. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

/** An address given from outside (`?from=`) if it is a path of this console, else `otherwise`. Browsers leave out tabs and line ends. */
export const ownPath = (text: string | null, otherwise: string): string =>
  text !== null && /^\/(?![/\\\t\n\r])/.test(text) ? text : otherwise
