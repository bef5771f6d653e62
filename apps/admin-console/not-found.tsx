import { buttonLook } from '@windlass/ui/button.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Link } from 'react-router'
import { paths } from './paths.ts'
import { shell } from './texts/shell.ts'

export function Component() {
  return (
    <>
      <PageHeading title={shell.notFound.title} product={shell.product} lead={shell.notFound.detail} />
      <Link to={paths.home()} className={buttonLook('primary')}>
        {shell.notFound.home}
      </Link>
    </>
  )
}
