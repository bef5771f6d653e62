import '@windlass/ui/styles/theme.css'
import { mountConsole } from '@windlass/ui/console/mount.tsx'
import { onExpired, queries } from './api.ts'
import { hint } from './session.ts'
import { paths } from './paths.ts'
import { routes } from './routes.tsx'

const router = await mountConsole(routes, queries, () => import('./spanish.ts'))

onExpired(() => {
  const { pathname, search } = router.state.location
  // For a session that ends while a page is open; opening a page checks the session itself.
  if (!pathname.startsWith(paths.workspaces()) || router.state.navigation.state !== 'idle') return
  queries.removeQueries({ queryKey: ['operator'] })
  hint.forget()
  void router.navigate(paths.signIn(pathname + search), { state: { expired: true } })
})
