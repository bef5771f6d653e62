import '@windlass/ui/styles/theme.css'
import { mountConsole } from '@windlass/ui/console/mount.tsx'
import { queryFrame } from '@windlass/ui/console/query-frame.tsx'
import { hasTyped } from '@windlass/ui/typed.ts'
import { onExpired, queries } from './api.ts'
import { paths } from './paths.ts'
import { routes } from './routes.tsx'
import { hint } from './session.ts'

const router = await mountConsole(routes, queryFrame(queries))

onExpired(() => {
  const { pathname } = router.state.location
  // For a session that ends while a page is open; opening a page checks the session itself.
  if (pathname === paths.signIn() || router.state.navigation.state !== 'idle' || hasTyped()) return
  queries.clear()
  hint.forget()
  void router.navigate(paths.signIn(pathname), { state: { expired: true } })
})
