import { buttonLook } from '@windlass/ui/button.tsx'
import type { ApplicationStatus, AssetWarning } from '@windlass/contracts/platform/applications.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Icon } from '@windlass/ui/icons.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import { useEffect, useState } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import { call } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { submitted as texts } from './submitted-texts.ts'

export function Component() {
  const { applicationId = '' } = useParams()
  const { state } = useLocation() as { state: { email?: string; warnings?: AssetWarning[] } | null }
  const status = useStatus(applicationId)
  const { title, lead } = texts.states[status]
  return (
    <div className="mx-auto w-full max-w-[680px] space-y-8 px-4 py-10 sm:px-6 sm:py-16">
      <div className="space-y-4">
        {status !== 'rejected' && (
          <span className="flex size-11 items-center justify-center rounded-full bg-good-tint text-good">
            <Icon name="check" className="size-6" />
          </span>
        )}
        <PageHeading title={title} product={shell.product} lead={lead} />
      </div>
      <Panel className="px-4 py-4 sm:px-5">
        <p className="text-13 text-soft">{texts.id}</p>
        <Identifier value={applicationId} what={texts.id.toLowerCase()} full />
        {status === 'applied' && state?.email && <p className="mt-2 text-14">{texts.mailTo(state.email)}</p>}
      </Panel>
      {state?.warnings && (
        <Notice tone="warn" title={texts.warningsTitle}>
          {state.warnings.map(({ asset, kind }) => (
            <p key={asset + kind}>{texts.warnings[kind](asset)}</p>
          ))}
        </Notice>
      )}
      {status !== 'rejected' && (
        <section aria-labelledby="next">
          <h2 id="next" className="text-18 font-semibold">
            {texts.nextTitle}
          </h2>
          <ol className="mt-4 space-y-4">
            {texts.next.map((step, index) => (
              <li key={step.title} className="flex gap-4">
                <span
                  aria-hidden="true"
                  className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-tint text-13 font-semibold text-accent tabular"
                >
                  {index + 1}
                </span>
                <div className="min-w-0">
                  <h3 className="font-semibold">{step.title}</h3>
                  <p className="text-14 text-soft">{step.detail}</p>
                </div>
              </li>
            ))}
          </ol>
        </section>
      )}
      <div className="flex flex-wrap gap-3">
        <Link to={paths.redeem()} className={buttonLook('secondary')}>
          {texts.haveInvitation}
        </Link>
        <Link to={paths.apply()} className={buttonLook('quiet')}>
          {texts.again}
        </Link>
      </div>
    </div>
  )
}

/** What became of the application, read again when its sender comes back to the page; as sent where that is not known. */
function useStatus(id: string): ApplicationStatus {
  const [status, setStatus] = useState<ApplicationStatus>('applied')
  useEffect(() => {
    const stop = new AbortController()
    const read = async () => {
      if (document.visibilityState === 'hidden') return
      // With its schemas, which no page needs before.
      const { getApplicationStatus } = await import('@windlass/contracts/platform/applications.ts')
      const input = { params: { id }, signal: stop.signal }
      const found = await call(getApplicationStatus, input).catch(() => null)
      if (found && !stop.signal.aborted) setStatus(found.status)
    }
    void read()
    document.addEventListener('visibilitychange', () => void read(), { signal: stop.signal })
    return () => stop.abort()
  }, [id])
  return status
}
