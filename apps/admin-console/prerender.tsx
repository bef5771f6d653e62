import { text } from '@windlass/ui/catalogue.ts'
import { createPrerender } from '@windlass/ui/console/prerender.tsx'
import { queryFrame } from '@windlass/ui/console/query-frame.tsx'
import { queries } from './api.ts'
import { paths } from './paths.ts'
import { routes } from './routes.tsx'
import { Shell } from './shell.tsx'
import { signIn } from './sign-in/texts.ts'
import { shell } from './texts.ts'

/** The public page, as HTML already in the build. */
export default createPrerender({
  routes,
  frame: queryFrame(queries),
  shell: Shell,
  outside: ['/single-sign-on', '/invitation'],
  description: text(
    'Review applications and watch the fleet of anchors.',
    'Revise solicitudes y vigile la flota de anchors.',
  ),
  pages: [
    { path: paths.login(), title: `${signIn.title} · ${shell.product}`, modules: ['sign-in/sign-in.tsx'] },
  ],
})
