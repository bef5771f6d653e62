import { usePaletteKey } from '@windlass/ui/console/palette-key.ts'
import { Shortcuts } from '@windlass/ui/console/shortcuts.tsx'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { getWorkspace, type Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { classNames } from '@windlass/ui/class-names.ts'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { Icon } from '@windlass/ui/icons.tsx'
import { Notice, Status, type Tone } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import {
  Link,
  type LoaderFunctionArgs,
  NavLink,
  Outlet,
  useLocation,
  useOutletContext,
  useParams,
} from 'react-router'
import { queries } from '../queries.ts'
import { operator } from '../session.ts'
import { paths, type WorkspacePage, workspacePages } from '../paths.ts'
import { texts as uiTexts } from '@windlass/ui/texts.ts'
import { shell } from '../texts.ts'
import { PauseBadge } from './pause-badge.tsx'
import { workspace as texts } from './texts.ts'
import { pagesOf } from './workspace-pages.ts'

// With its dialog, which Overview does not need.
const WorkspacePalette = lazy(() => import('./workspace-palette.tsx'))

const workspaceQuery = (anchorId: string) =>
  operator.query(getWorkspace, { params: { anchorId } }, { refetchInterval: 15_000 })

export function loader({ params }: LoaderFunctionArgs) {
  void queries.prefetchQuery(workspaceQuery(params.anchorId ?? ''))
  return null
}

/** The anchor of the open workspace. */
export const useWorkspace = () => useOutletContext<Workspace>()

export function Component() {
  const { anchorId = '' } = useParams()
  const [searching, setSearching] = usePaletteKey()
  const workspace = useQuery(workspaceQuery(anchorId))
  return (
    <div className="mx-auto w-full max-w-[1376px] flex-1 px-4 py-6 sm:px-6 sm:py-8">
      <Link to={paths.workspaces()} className="link inline-flex items-center gap-1.5 text-13 no-underline">
        <Icon name="back" className="size-3.5" />
        {texts.all}
      </Link>
      {codeOf(workspace.error) === 'anchor-not-found' ? (
        <>
          <PageHeading title={uiTexts.notFound.title} product={shell.product} className="mt-3 mb-4" />
          <Notice tone="neutral" title={texts.notFound} />
        </>
      ) : (
        <DataScreen
          query={workspace}
          explain={describeError}
          skeleton={
            <div className="mt-4 space-y-6">
              <Bar className="h-8 w-80 max-w-full" />
              <Bar className="h-56" />
            </div>
          }
        >
          {data => (
            <>
              <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
                <PageHeading title={data.homeDomain} product={shell.product} className="wrap-anywhere" />
                <AnchorBadge status={data.status} />
                {data.status === 'active' && <PauseBadge anchorId={data.id} />}
                <span className="text-14 text-soft">{data.organization.name}</span>
              </div>
              <div className="mt-5 grid gap-x-8 gap-y-6 lg:grid-cols-[184px_minmax(0,1fr)]">
                <Pages anchorId={anchorId} role={data.role} />
                <div className="min-w-0">
                  <Outlet context={data} />
                </div>
              </div>
              {searching && (
                <Suspense>
                  <WorkspacePalette workspace={data} onClose={() => setSearching(false)} />
                </Suspense>
              )}
            </>
          )}
        </DataScreen>
      )}
      <Shortcuts />
    </div>
  )
}

type Group = keyof typeof texts.groups

/** The group that lists each page; Overview stands before them. */
const groupOf: Record<Exclude<WorkspacePage, ''>, Group> = {
  transactions: 'money',
  treasury: 'money',
  bank: 'money',
  reconciliation: 'money',
  closing: 'money',
  ledger: 'money',
  customers: 'customers',
  compliance: 'customers',
  anchor: 'anchor',
  settings: 'anchor',
  routing: 'anchor',
  team: 'anchor',
  notifications: 'anchor',
  activity: 'anchor',
  developers: 'developers',
  keys: 'developers',
  webhooks: 'developers',
}
const groups = Map.groupBy(Object.keys(groupOf) as (keyof typeof groupOf)[], page => groupOf[page])

/** The workspace's pages beside them; where there is no room, as a menu above. */
function Pages({ anchorId, role }: { anchorId: string; role: Workspace['role'] }) {
  const { pathname } = useLocation()
  const current = workspacePages.find(page => paths.workspace(anchorId, page) === pathname)
  const link = (page: WorkspacePage) => (
    <NavLink
      to={paths.workspace(anchorId, page)}
      end
      className={({ isActive }) =>
        classNames(
          'control flex items-center rounded-6 px-2.5 text-14 font-medium',
          isActive ? 'bg-accent-tint text-accent' : 'text-soft hover:bg-hover hover:text-ink',
        )
      }
    >
      {texts.tabs[page || 'overview']}
    </NavLink>
  )
  const list = (
    <div className="space-y-4">
      {link('')}
      {[...groups].map(([group, pages]) => (
        <div key={group}>
          <p className="px-2.5 pb-1 text-13 text-soft">{texts.groups[group]}</p>
          <ul aria-label={texts.groups[group]}>
            {pagesOf(role, pages).map(page => (
              <li key={page}>{link(page)}</li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
  return (
    <nav aria-label={texts.navigation}>
      <div className="max-lg:hidden lg:sticky lg:top-6">{list}</div>
      {/* The key closes the menu once a page is chosen. */}
      <details key={pathname} className="rounded-8 border border-control bg-surface lg:hidden">
        <summary className="control flex cursor-pointer items-center px-3 text-14 font-medium">
          {current === undefined ? texts.navigation : texts.tabs[current || 'overview']}
        </summary>
        <div className="border-t border-line px-1 py-3">{list}</div>
      </details>
    </nav>
  )
}

const tones: Partial<Record<string, Tone>> = {
  provisioning: 'info',
  active: 'good',
  suspended: 'warn',
  error: 'bad',
}
const statusNames: Partial<Record<string, string>> = texts.status

export function AnchorBadge({ status }: { status: string }) {
  return <Status tone={tones[status] ?? 'neutral'}>{statusNames[status] ?? status}</Status>
}
