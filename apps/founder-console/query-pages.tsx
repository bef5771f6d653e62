import { queryFrame } from '@windlass/ui/console/query-frame.tsx'
import { hasTyped } from '@windlass/ui/typed.ts'
import { useEffect } from 'react'
import { Outlet, useLocation, useNavigate, useNavigation } from 'react-router'
import { paths } from './paths.ts'
import { onExpired, queries } from './queries.ts'
import { hint } from './session.ts'

export const Queries = queryFrame(queries)

/** Around the pages that send requests. Leads to the sign-in page once the session has ended, unless a form would lose what was typed. */
export function Component() {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const { state } = useNavigation()
  useEffect(() =>
    onExpired(() => {
      // For a session that ends while a page is open; opening a page checks the session itself.
      if (!pathname.startsWith(paths.workspaces()) || state !== 'idle' || hasTyped()) return
      queries.removeQueries({ queryKey: ['operator'] })
      hint.forget()
      void navigate(paths.signIn(pathname + search), { state: { expired: true } })
    }),
  )
  return (
    <Queries>
      <Outlet />
    </Queries>
  )
}
