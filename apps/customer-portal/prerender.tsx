import { text } from '@windlass/ui/catalogue.ts'
import { createPrerender } from '@windlass/ui/console/prerender.tsx'
import { queryFrame } from '@windlass/ui/console/query-frame.tsx'
import { signIn } from '@windlass/ui/console/code-sign-in-texts.ts'
import { texts } from '@windlass/ui/texts.ts'
import { queries } from './api.ts'
import { paths } from './paths.ts'
import { routes } from './routes.tsx'
import { Shell } from './shell.tsx'
import { home, shell } from './texts.ts'

const titled = (title: string) => `${title} · ${shell.product}`

/** The public pages, as HTML already in the build. */
export default createPrerender({
  routes,
  shell: Shell,
  frame: queryFrame(queries),
  description: text(
    'Your identity check and wallets at every Windlass anchor.',
    'Su verificación de identidad y sus billeteras en todos los anchors de Windlass.',
  ),
  pages: [
    { path: paths.home(), title: titled(home.title), modules: ['home.tsx'] },
    { path: paths.signIn(), title: titled(signIn.title), modules: ['sign-in.tsx'] },
  ],
  notFoundTitle: titled(texts.notFound.title),
})
