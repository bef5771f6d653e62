import { text } from '@windlass/ui/catalogue.ts'
import { createPrerender } from '@windlass/ui/console/prerender.tsx'
import { signIn } from '@windlass/ui/console/code-sign-in-texts.ts'
import { texts } from '@windlass/ui/texts.ts'
import { apply } from './apply/texts.ts'
import { home } from './home/texts.ts'
import { applySteps, paths, type ApplyStep } from './paths.ts'
import { redeem } from './redeem/texts.ts'
import { routes } from './routes.tsx'
import { Shell } from './shell.tsx'
import { shell } from './texts.ts'

const titled = (title: string) => `${title} · ${shell.product}`

const applyPage = (path: string, step: ApplyStep) => ({
  path,
  title: titled(apply.documentTitle(apply.steps[step].title)),
  modules: ['apply/frame.tsx', step === 'check' ? 'apply/check.tsx' : 'apply/step.tsx'],
})

/** The public pages, as HTML already in the build. */
export default createPrerender({
  routes,
  shell: Shell,
  description: text(
    'Launch a Stellar anchor with Windlass: apply, redeem your invitation and watch the setup.',
    'Lance un anchor de Stellar con Windlass: solicite, canjee su invitación y siga la instalación.',
  ),
  pages: [
    {
      path: paths.home(),
      title: titled(home.title),
      modules: ['home/home.tsx'],
    },
    applyPage(paths.apply(), 'company'),
    ...applySteps.map(step => applyPage(paths.apply(step), step)),
    {
      path: paths.redeem(),
      title: titled(redeem.documentTitle),
      modules: ['redeem/redeem.tsx'],
    },
    { path: paths.signIn(), title: titled(signIn.title), modules: ['sign-in.tsx'] },
  ],
  notFoundTitle: titled(texts.notFound.title),
})
