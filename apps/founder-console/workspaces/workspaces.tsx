import { describeError } from '@windlass/ui/console/errors.ts'
import { logoutOperator, type OperatorProfile } from '@windlass/contracts/platform/operators.ts'
import { useQuery } from '@tanstack/react-query'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { Icon } from '@windlass/ui/icons.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Link, useNavigate } from 'react-router'
import { call } from '../api.ts'
import { queries } from '../queries.ts'
import { forgetPerson, profileQuery } from '../session.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { workspace } from './texts.ts'
import { AnchorBadge } from './workspace.tsx'

const texts = workspace.list

export function Component() {
  const profile = useQuery(profileQuery)
  const navigate = useNavigate()
  const signOut = async (): Promise<void> => {
    await call(logoutOperator).catch(() => undefined)
    queries.clear()
    forgetPerson()
    await navigate(paths.signIn())
  }
  return (
    <div className="mx-auto w-full max-w-[1120px] flex-1 space-y-8 px-4 py-8 sm:px-6 sm:py-10">
      <PageHeading
        title={texts.title}
        product={shell.product}
        lead={profile.data ? texts.signedInAs(profile.data.user.email) : texts.lead}
        actions={<Button onClick={() => void signOut()}>{workspace.signOut}</Button>}
      />
      <DataScreen
        query={profile}
        explain={describeError}
        skeleton={<Bar className="h-24" />}
        isEmpty={({ organizations }) => organizations.every(({ anchors }) => anchors.length === 0)}
        empty={
          <Empty
            title={texts.empty.title}
            action={
              <Link to={paths.apply()} className={buttonLook('primary')}>
                {texts.empty.apply}
              </Link>
            }
          >
            {texts.empty.detail}
          </Empty>
        }
      >
        {({ organizations }) => organizations.map(one => <Organization key={one.id} organization={one} />)}
      </DataScreen>
    </div>
  )
}

function Organization({ organization }: { organization: OperatorProfile['organizations'][number] }) {
  return (
    <section className="mb-6 space-y-3">
      <h2 className="flex items-baseline gap-2 text-18 font-semibold">
        {organization.name}
        <span className="text-13 font-normal text-soft">{texts.roles[organization.role]}</span>
      </h2>
      <ul className="grid gap-3 sm:grid-cols-2">
        {organization.anchors.map(anchor => (
          <li key={anchor.id}>
            <Link
              to={paths.workspace(anchor.id)}
              className="flex items-center gap-4 rounded-8 border border-line bg-surface p-4 transition-colors duration-100 hover:border-accent"
            >
              <Icon name="anchor" className="size-5 text-accent" />
              <span className="min-w-0 flex-1 font-medium wrap-anywhere">{anchor.homeDomain}</span>
              <AnchorBadge status={anchor.status} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
