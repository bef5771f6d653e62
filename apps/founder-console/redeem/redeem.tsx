import { Button } from '@windlass/ui/button.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { isHydrating } from '@windlass/ui/hydration.ts'
import { lazy, Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { redeem as texts } from './texts.ts'
import { tokenIn, tokenInPasted } from './invitation-token.ts'
import { RedeemSkeleton } from './skeleton.tsx'

// Loaded when the page has a token: without one it only asks for it.
const Invitation = lazy(() => import('./invitation.tsx'))

export function Component() {
  const given = tokenIn(useLocation())
  const navigate = useNavigate()
  // The page was built without a token. Until it is hydrated, its first script shows the placeholder if there is one.
  const [hydrating, setHydrating] = useState(isHydrating)
  useLayoutEffect(() => {
    delete document.documentElement.dataset.token
    setHydrating(false)
  }, [])
  useEffect(() => {
    // Moved out of the query, so that it appears in no history and no log.
    if (given?.inQuery) void navigate(paths.redeem(given.token), { replace: true })
  }, [given?.inQuery, given?.token, navigate])
  return (
    <div className="mx-auto w-full max-w-[680px] flex-1 px-4 py-8 sm:px-6 sm:py-14">
      {given && !hydrating ? (
        <Suspense fallback={<RedeemSkeleton />}>
          <Invitation key={given.token} token={given.token} />
        </Suspense>
      ) : (
        <>
          <div className="in-data-token:hidden">
            <PasteToken />
          </div>
          {hydrating && (
            <div aria-hidden="true" className="hidden in-data-token:block">
              <RedeemSkeleton />
            </div>
          )}
        </>
      )}
    </div>
  )
}

function PasteToken() {
  const navigate = useNavigate()
  const form = useForm({
    initial: { link: '' },
    check: ({ link }) => (link.trim() === '' ? { link: texts.none.missing } : {}),
    send: ({ link }) => void navigate(paths.redeem(tokenInPasted(link))),
  })
  return (
    <div className="space-y-6">
      <PageHeading title={texts.none.title} product={shell.product} lead={texts.none.lead} />
      <FormShell form={form}>
        <TextField
          name="link"
          label={texts.none.label}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
        <Button type="submit" look="primary">
          {texts.none.go}
        </Button>
      </FormShell>
    </div>
  )
}
