/** What this installation is, and the address of a page of the same console at the other one; null where it has none. */
export function otherInstallation(): { kind: 'live' | 'sandbox'; addressOf(path: string): string } | null {
  const base = document.querySelector<HTMLAnchorElement>('a[data-installation]')?.dataset.installation
  if (!base) return null
  const kind = document.querySelector('[data-kind="sandbox"]') ? 'sandbox' : 'live'
  return { kind, addressOf: path => `${base}${path}` }
}
