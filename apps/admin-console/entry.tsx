import '@windlass/ui/styles/theme.css'
import { loadShell } from '@windlass/ui/console/load-shell.ts'
import { mountConsole } from '@windlass/ui/console/mount.tsx'
import { queryFrame } from '@windlass/ui/console/query-frame.tsx'
import { hasTyped } from '@windlass/ui/typed.ts'
import { onExpired, queries } from './api.ts'
import { hint } from './session.ts'
import { paths } from './paths.ts'
import { routes } from './routes.tsx'

await loadShell(routes)
const router = await mountConsole(routes, queryFrame(queries))

onExpired(() => {
  const { pathname, search } = router.state.location
  // Who never signed in here is led to the sign-in by the page's own guard: no session of theirs has ended.
  if (!hint.mayBeSignedIn() || pathname === paths.login()) return
  // A form keeps what was typed, and says how to sign in again.
  if (hasTyped()) return
  queries.clear()
  hint.forget()
  void router.navigate(paths.login(pathname + search), { state: { expired: true } })
})
