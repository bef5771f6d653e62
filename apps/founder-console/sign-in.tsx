import { requestOperatorCode, verifyOperatorCode } from '@windlass/contracts/platform/operators.ts'
import { CodeSignIn } from '@windlass/ui/console/code-sign-in.tsx'
import { lazy } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { call } from './api.ts'
import { paths } from './paths.ts'
import { signIn as texts } from './sign-in-texts.ts'
import { shell } from './texts.ts'

const SecondFactorStep = lazy(() => import('./account/sign-in-step.tsx'))

export function Component() {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  return (
    <CodeSignIn
      texts={texts}
      product={shell.product}
      secondFactorStep={SecondFactorStep}
      otherWay={{ label: texts.singleSignOn, to: paths.singleSignOn(query.get('from') ?? undefined) }}
      requestCode={email => call(requestOperatorCode, { body: { email } })}
      verifyCode={(email, code) => call(verifyOperatorCode, { body: { email, code } })}
      onSignedIn={async () => {
        const [{ queries }, { hint }] = await Promise.all([import('./queries.ts'), import('./session.ts')])
        // The cache may hold the records of another person who was signed in before.
        queries.clear()
        hint.keep()
        await navigate(paths.afterSignIn(query.get('from')), { replace: true })
      }}
    />
  )
}
