import { finishAdminSignOn, startAdminSignOn } from '@windlass/contracts/platform/single-sign-on.ts'
import { Wordmark } from '@windlass/ui/brand.tsx'
import { SignOnPage } from '@windlass/ui/console/sign-on-page.tsx'
import { lazy } from 'react'
import { useNavigate } from 'react-router'
import { call, queries } from '../api.ts'
import { paths } from '../paths.ts'
import { hint } from '../session.ts'
import { shell } from '../texts.ts'

const SecondFactorStep = lazy(() => import('../account/sign-in-step.tsx'))

/** Signing in by the platform's provider. */
export function Component() {
  const navigate = useNavigate()
  return (
    <main id="content" className="flex min-h-dvh items-center justify-center bg-deep px-4 py-10">
      <div className="w-full max-w-[400px] space-y-6 rounded-8 border border-line bg-surface p-6 sm:p-8">
        <Wordmark suffix={shell.suffix} />
        <SignOnPage
          product={shell.product}
          start={() => call(startAdminSignOn)}
          finish={body => call(finishAdminSignOn, { body })}
          secondFactorStep={SecondFactorStep}
          onSignedIn={async from => {
            queries.clear()
            hint.keep()
            await navigate(paths.afterLogin(from), { replace: true })
          }}
        />
      </div>
    </main>
  )
}
