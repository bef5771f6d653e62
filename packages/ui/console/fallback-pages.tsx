import { Link, useRouteError } from 'react-router'
import { buttonLook } from '../button.tsx'
import { PageError } from '../page-error.tsx'
import { PageHeading } from '../page.tsx'
import { texts } from '../texts.ts'

/** The page of an unknown address. */
export function NotFound({ product }: { product: string }) {
  return (
    <div className="mx-auto w-full max-w-[680px] space-y-6 px-4 py-16 sm:px-6">
      <PageHeading title={texts.notFound.title} product={product} lead={texts.notFound.detail} />
      <Link to="/" className={buttonLook('primary')}>
        {texts.notFound.home}
      </Link>
    </div>
  )
}

/** Replaces a page that failed; the navigation around it stays. */
export function RouteError() {
  return (
    <PageError error={useRouteError()}>
      <a className={buttonLook()} href="/">
        {texts.notFound.home}
      </a>
    </PageError>
  )
}
