/**
 * Whether someone has signed in with this browser. The session itself is a cookie that no script can read; the
 * hint only spares a visitor the question that is bound to be refused.
 */
export function sessionHint(name: string) {
  const key = `windlass.${name}`
  const attempt = <T>(act: () => T, otherwise: T): T => {
    try {
      return act()
    } catch {
      // Storage is blocked: without a hint the question must be asked.
      return otherwise
    }
  }
  return {
    mayBeSignedIn: () => attempt(() => localStorage.getItem(key) !== null, true),
    keep: () => attempt(() => localStorage.setItem(key, '1'), undefined),
    forget: () => attempt(() => localStorage.removeItem(key), undefined),
  }
}
