import { ownPath, withQuery } from '@windlass/ui/console/paths.ts'

/** Every address of this portal. */
export const paths = {
  home: () => '/',
  /** `from`: the page to return to after sign-in. */
  signIn: (from?: string) => withQuery('/sign-in', { from }),
  /** The page to return to after sign-in. */
  afterSignIn: (from: string | null) => ownPath(from, '/account'),
  account: () => '/account',
  wallets: () => '/wallets',
  transactions: (query: Record<string, string | undefined> = {}) => withQuery('/transactions', query),
}
