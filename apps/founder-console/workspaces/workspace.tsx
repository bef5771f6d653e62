import { usePaletteKey } from '@windlass/ui/console/palette-key.ts'
import { CommandPalette } from '@windlass/ui/console/command-palette.tsx'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { getWorkspace, type Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
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
import { operator, profileQuery } from '../session.ts'
import { paths, type WorkspacePage, workspacePages } from '../paths.ts'
import { texts as uiTexts } from '@windlass/ui/texts.ts'
import { shell } from '../texts.ts'
import { workspace as texts } from './texts.ts'

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
    <div className="mx-auto w-full max-w-[1120px] flex-1 px-4 py-6 sm:px-6 sm:py-8">
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
                <span className="text-14 text-soft">{data.organization.name}</span>
              </div>
              <Pages anchorId={anchorId} />
              <Outlet context={data} />
              {searching && <WorkspacePalette anchorId={data.id} onClose={() => setSearching(false)} />}
            </>
          )}
        </DataScreen>
      )}
    </div>
  )
}

type Group = keyof typeof texts.groups

/** Where a phone lists each page. */
const groupOf: Record<WorkspacePage, Group> = {
  '': 'business',
  transactions: 'business',
  customers: 'business',
  compliance: 'business',
  settings: 'business',
  treasury: 'business',
  bank: 'business',
  reconciliation: 'business',
  closing: 'business',
  ledger: 'business',
  anchor: 'anchor',
  routing: 'anchor',
  team: 'anchor',
  notifications: 'anchor',
  activity: 'anchor',
  keys: 'developers',
  webhooks: 'developers',
  developers: 'developers',
}
const groups: readonly Group[] = ['business', 'anchor', 'developers']

/** The workspace's pages as tabs; on phones, which have no room for so many, as a menu in groups. */
function Pages({ anchorId }: { anchorId: string }) {
  const { pathname } = useLocation()
  const pages = workspacePages.map(page => ({
    to: paths.workspace(anchorId, page),
    name: texts.tabs[page || 'overview'],
    group: groupOf[page],
  }))
  const current = pages.find(({ to }) => to === pathname)
  return (
    <nav aria-label={texts.navigation} className="mt-4 mb-6">
      <div className="flex flex-wrap gap-1 border-b border-line max-sm:hidden">
        {pages.map(({ to, name }) => (
          <NavLink
            key={to}
            to={to}
            end
            className={({ isActive }) =>
              classNames(
                'control -mb-px inline-flex items-center border-b-2 px-3 text-14 font-medium',
                isActive ? 'border-accent text-accent' : 'border-transparent text-soft hover:text-ink',
              )
            }
          >
            {name}
          </NavLink>
        ))}
      </div>
      {/* The key closes the menu once a page is chosen. */}
      <details key={pathname} className="rounded-8 border border-control bg-surface sm:hidden">
        <summary className="control flex cursor-pointer items-center px-3 text-14 font-medium">
          {current?.name ?? texts.navigation}
        </summary>
        <div className="space-y-3 border-t border-line px-1 py-3">
          {groups.map(group => (
            <div key={group}>
              <h2 className="px-2 text-13 text-soft">{texts.groups[group]}</h2>
              <ul>
                {pages
                  .filter(page => page.group === group)
                  .map(({ to, name }) => (
                    <li key={to}>
                      <NavLink
                        to={to}
                        end
                        className={({ isActive }) =>
                          classNames(
                            'control flex items-center rounded-6 px-2 text-14 font-medium',
                            isActive ? 'bg-accent-tint text-accent' : 'text-ink',
                          )
                        }
                      >
                        {name}
                      </NavLink>
                    </li>
                  ))}
              </ul>
            </div>
          ))}
        </div>
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

/** The pages of this workspace, the operator's other anchors and the account. */
function WorkspacePalette({ anchorId, onClose }: { anchorId: string; onClose(): void }) {
  const organizations = useQuery(profileQuery).data?.organizations ?? []
  const others = organizations.flatMap(({ anchors }) => anchors).filter(({ id }) => id !== anchorId)
  const commands = [
    ...workspacePages.map(page => ({
      group: texts.palette.page,
      label: texts.tabs[page || 'overview'],
      to: paths.workspace(anchorId, page),
    })),
    ...others.map(({ id, homeDomain }) => ({
      group: texts.palette.anchor,
      label: homeDomain,
      to: paths.workspace(id),
    })),
    { group: texts.palette.page, label: texts.all, to: paths.workspaces() },
  ]
  return <CommandPalette commands={commands} onClose={onClose} />
}
