import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { lookUpWalletRemoval, removeWalletByLink } from '@windlass/contracts/platform/customers.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { call, query } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { removeWallet as texts } from './texts.ts'

/**
 * The page that the link in an email opens. The token is in the fragment, which no server receives, and nothing is removed
 * before a person presses the button.
 */
export function Component() {
  const token = new URLSearchParams(useLocation().hash.slice(1)).get('token')
  return (
    <div className="flex flex-1 items-center justify-center bg-deep px-4 py-10 sm:py-16">
      <Panel className="w-full max-w-[520px] space-y-6 p-6 sm:p-8">
        {token ? <Removal key={token} token={token} /> : <Gone />}
      </Panel>
    </div>
  )
}

function Removal({ token }: { token: string }) {
  const wallet = useQuery(
    query(lookUpWalletRemoval, { body: { token } }, { staleTime: Infinity, retry: false }),
  )
  const remove = useMutation({ mutationFn: () => call(removeWalletByLink, { body: { token } }) })
  if (remove.isSuccess) return <Removed />
  const isGone = [wallet.error, remove.error].some(error =>
    ['removal-link-gone', 'validation-failed'].includes(codeOf(error) ?? ''),
  )
  if (isGone) return <Gone />
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <DataScreen query={wallet} explain={describeError} skeleton={<Bar className="h-24" />}>
        {({ account, memo }) => (
          <div className="space-y-6">
            <p className="rounded-6 bg-sunken p-3 font-mono text-13 break-all">
              {account}
              {memo !== null && <span className="block">{texts.memo(memo)}</span>}
            </p>
            {remove.error && (
              <ErrorNotice failure={{ ...describeError(remove.error), title: texts.failed }} />
            )}
            <Button look="danger" pending={remove.isPending} onClick={() => remove.mutate()}>
              {texts.submit}
            </Button>
          </div>
        )}
      </DataScreen>
    </>
  )
}

const Removed = () => (
  <Ended>
    <Notice tone="good" role="status" title={texts.done.title} actions={<ToAccount />}>
      {texts.done.detail}
    </Notice>
  </Ended>
)

const Gone = () => (
  <Ended>
    <Notice tone="warn" role="alert" title={texts.gone.title} actions={<ToAccount />}>
      {texts.gone.detail}
    </Notice>
  </Ended>
)

const Ended = ({ children }: { children: ReactNode }) => (
  <>
    <PageHeading title={texts.title} product={shell.product} />
    {children}
  </>
)

const ToAccount = () => (
  <Link to={paths.wallets()} className={buttonLook()}>
    {texts.wallets}
  </Link>
)
