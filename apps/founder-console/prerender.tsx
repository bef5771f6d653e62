import { createPrerender } from '@windlass/ui/console/prerender.tsx'
import { signIn } from '@windlass/ui/console/code-sign-in-texts.ts'
import { texts } from '@windlass/ui/texts.ts'
import { apply } from './apply/texts.ts'
import { home } from './home/texts.ts'
import { applySteps, paths, type ApplyStep } from './paths.ts'
import { redeem } from './redeem/texts.ts'
import { routes } from './routes.tsx'
import { apply as applyInSpanish } from './apply/texts-es.ts'
import { home as homeInSpanish } from './home/texts-es.ts'
import { redeem as redeemInSpanish } from './redeem/texts-es.ts'
import * as spanish from './spanish.ts'
import { shell } from './texts.ts'

const titled = (title: string) => `${title} · ${shell.product}`

const applyPage = (path: string, step: ApplyStep) => ({
  path,
  title: titled(apply.documentTitle(apply.steps[step].title)),
  translation: 'apply/texts-es.ts',
  modules: ['apply/frame.tsx', step === 'check' ? 'apply/check.tsx' : 'apply/step.tsx'],
})

/** The public pages, as HTML already in the build. */
export default createPrerender({
  routes,
  spanish: { ...spanish, apply: applyInSpanish, home: homeInSpanish, redeem: redeemInSpanish },
  description: {
    en: 'Launch a Stellar anchor with Windlass: apply, redeem your invitation and watch the setup.',
    es: 'Lance un anchor de Stellar con Windlass: solicite, canjee su invitación y siga la instalación.',
  },
  pages: () => [
    {
      path: paths.home(),
      title: titled(home.title),
      modules: ['home/home.tsx'],
      translation: 'home/texts-es.ts',
    },
    applyPage(paths.apply(), 'company'),
    ...applySteps.map(step => applyPage(paths.apply(step), step)),
    {
      path: paths.redeem(),
      title: titled(redeem.documentTitle),
      modules: ['redeem/redeem.tsx'],
      translation: 'redeem/texts-es.ts',
    },
    { path: paths.signIn(), title: titled(signIn.title), modules: ['sign-in.tsx'] },
  ],
  notFoundTitle: () => titled(texts.notFound.title),
})
