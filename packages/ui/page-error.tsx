import { useEffect, type ReactNode } from 'react'
import { buttonLook } from './button.tsx'
import { Notice } from './notice.tsx'
import { texts } from './texts.ts'

/** Replaces a page that failed. A script that cannot be loaded means that a newer build is served. */
export function PageError({ error, children }: { error: unknown; children?: ReactNode }) {
  useEffect(() => console.error(error), [error])
  const outdated = error instanceof TypeError && /module|import/i.test(error.message)
  const { title, detail } = outdated ? texts.newVersion : texts.pageError
  return (
    <div className="mx-auto w-full max-w-[680px] px-4 py-16 sm:px-6">
      <Notice
        tone="bad"
        title={title}
        role="alert"
        actions={
          <>
            <button type="button" className={buttonLook('primary')} onClick={() => location.reload()}>
              {texts.reload}
            </button>
            {children}
          </>
        }
      >
        {detail}
      </Notice>
    </div>
  )
}

/** A line at the top while the next page loads. */
export function BusyLine({ busy }: { busy: boolean }) {
  if (!busy) return null
  return (
    <div role="status" className="fixed inset-x-0 top-0 z-50 h-0.5 animate-pulse bg-accent">
      <span className="sr-only">{texts.loadingPage}</span>
    </div>
  )
}
