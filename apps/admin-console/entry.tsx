import '@windlass/ui/styles/theme.css'
import { mountConsole } from '@windlass/ui/console/mount.tsx'
import { queryFrame } from '@windlass/ui/console/query-frame.tsx'
import { onExpired, queries } from './api.ts'
import { hint } from './session.ts'
import { paths } from './paths.ts'
import { routes } from './routes.tsx'

const router = await mountConsole(routes, queryFrame(queries))

onExpired(() => {
  const { pathname, search } = router.state.location
  if (pathname === paths.login()) return
  queries.clear()
  hint.forget()
  void router.navigate(paths.login(pathname + search), { state: { expired: true } })
})
