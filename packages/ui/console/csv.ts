/** Saves rows as a CSV file (RFC 4180). */
export function saveCsv(
  name: string,
  head: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): void {
  saveFile(name, csvOf(head, rows))
}

/** Rows as CSV (RFC 4180), with the byte order mark that spreadsheets want. */
export function csvOf(head: readonly string[], rows: readonly (readonly (string | null)[])[]): Blob {
  const text = [head, ...rows].map(row => row.map(cellOf).join(',')).join('\r\n')
  return new Blob(['\uFEFF', text, '\r\n'], { type: 'text/csv;charset=utf-8' })
}

/** Saves a value as a JSON file. */
export function saveJson(name: string, value: unknown): void {
  saveFile(name, new Blob([JSON.stringify(value, null, 2), '\n'], { type: 'application/json' }))
}

/** Saves a file that the browser has. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has the file's bytes once the click was handled.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Quoted where needed. A leading `=`, `+`, `-` or `@` would be a formula in spreadsheets, except in numbers. */
export function cellOf(value: string | null): string {
  const text = value ?? ''
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
