import { requestCustomerCode, verifyCustomerCode } from '@windlass/contracts/platform/customers.ts'
import { CodeSignIn } from '@windlass/ui/console/code-sign-in.tsx'
import { useNavigate, useSearchParams } from 'react-router'
import { call, queries } from './api.ts'
import { paths } from './paths.ts'
import { hint } from './session.ts'
import { shell, signIn as texts } from './texts.ts'

export function Component() {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  return (
    <CodeSignIn
      texts={texts}
      product={shell.product}
      requestCode={email => call(requestCustomerCode, { body: { email } })}
      verifyCode={async (email, code) => {
        await call(verifyCustomerCode, { body: { email, code } })
        return {}
      }}
      onSignedIn={async () => {
        // The cache may hold the records of another person who was signed in before.
        queries.clear()
        hint.keep()
        await navigate(paths.afterSignIn(query.get('from')), { replace: true })
      }}
    />
  )
}
