import { finishOperatorSignOn, startOperatorSignOn } from '@windlass/contracts/platform/single-sign-on.ts'
import { SignOnPage } from '@windlass/ui/console/sign-on-page.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { lazy } from 'react'
import { useNavigate, useParams } from 'react-router'
import { call } from './api.ts'
import { paths } from './paths.ts'
import { queries } from './queries.ts'
import { hint } from './session.ts'
import { shell } from './texts.ts'

const SecondFactorStep = lazy(() => import('./account/sign-in-step.tsx'))

/** Signing in by an organization's provider. Each has an address of its own to send people back to, which the platform compares. */
export function Component() {
  const navigate = useNavigate()
  const { organizationId = 'none' } = useParams()
  return (
    <div className="flex flex-1 items-center justify-center bg-deep px-4 py-10 sm:py-16">
      <Panel className="w-full max-w-[440px] space-y-6 p-6 sm:p-8">
        <SignOnPage
          product={shell.product}
          asksOrganization
          start={organization => call(startOperatorSignOn, { body: { organization } })}
          finish={back => call(finishOperatorSignOn, { body: { ...back, organizationId } })}
          secondFactorStep={SecondFactorStep}
          onSignedIn={async from => {
            // The cache may hold the records of another person who was signed in before.
            queries.clear()
            hint.keep()
            await navigate(paths.afterSignIn(from), { replace: true })
          }}
        />
      </Panel>
    </div>
  )
}
