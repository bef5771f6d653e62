import type { FleetAnchor } from '@windlass/contracts/platform/administrators.ts'
import {
  listUpgrades,
  type Release,
  type Upgrade,
  upgradeAnchor,
} from '@windlass/contracts/platform/anchor-life.ts'
import { fieldErrorsOf, describeError } from '@windlass/ui/console/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { OpenedForm } from '@windlass/ui/opened-form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { Code } from '@windlass/ui/table.tsx'
import { call, query, refresh } from '../api.ts'
import { useMay } from '../may.ts'
import { fleet } from './texts.ts'

const texts = fleet.upgrades

const isInProgress = ({ state }: Upgrade) => state !== 'succeeded' && state !== 'failed'

/** The version of an anchor's servers, its upgrades, and the form that starts one. */
export function Upgrades({ anchor }: { anchor: FleetAnchor }) {
  const found = useQuery(
    query(
      listUpgrades,
      { params: { id: anchor.id } },
      {
        refetchInterval: ({ state }) => (state.data?.upgrades.some(isInProgress) ? 2_000 : 15_000),
      },
    ),
  )
  const mayUpgrade = useMay('operator')
  if (!found.data) return found.error ? <ErrorNotice failure={describeError(found.error)} /> : null
  const { release, upgrades } = found.data
  return (
    <section className="space-y-3">
      <h3 className="flex flex-wrap justify-between gap-x-4 text-13 font-medium text-soft">
        {texts.title}
        <span className="font-normal">{release ? <ReleaseName release={release} /> : texts.unknown}</span>
      </h3>
      {upgrades.length > 0 && (
        <ol className="divide-y divide-line rounded-8 border border-line">
          {upgrades.slice(0, 5).map(upgrade => (
            <UpgradeLine key={upgrade.id} upgrade={upgrade} />
          ))}
        </ol>
      )}
      {mayUpgrade && anchor.status === 'active' && !upgrades.some(isInProgress) && (
        <NextUpgrade anchorId={anchor.id} />
      )}
    </section>
  )
}

const tones: Record<Upgrade['state'], Tone> = {
  waiting: 'neutral',
  starting: 'info',
  switching: 'info',
  succeeded: 'good',
  failed: 'bad',
}

function UpgradeLine({ upgrade }: { upgrade: Upgrade }) {
  const { from, to, state, requestedBy, error, createdAt } = upgrade
  return (
    <li className="space-y-1 px-3 py-2 text-13">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="wrap-anywhere">
          {from && (
            <>
              <ReleaseName release={from} /> <span aria-hidden="true">→</span>{' '}
              <span className="sr-only">{texts.becomes}</span>
            </>
          )}
          <ReleaseName release={to} />
        </span>
        <Status tone={tones[state]}>{texts.states[state]}</Status>
      </div>
      <p className="text-soft">
        <time dateTime={createdAt}>{formatDateTime(createdAt)}</time> · {requestedBy}
      </p>
      {error && (
        <p className="wrap-anywhere text-bad">
          {error.detail} <Code>{error.code}</Code>
        </p>
      )}
    </li>
  )
}

/** The same version may have been built again: the beginning of its image's id tells them apart. */
function ReleaseName({ release: { version, images, imageIds } }: { release: Release }) {
  const built = imageIds && imageIds.business.replace('sha256:', '').slice(0, 12)
  return (
    <span title={images ? [...new Set(Object.values(images))].join('\n') : undefined}>
      <Code>{built ? `${version} (${built})` : version}</Code>
    </span>
  )
}

const trim = (text: string) => text.trim()

function NextUpgrade({ anchorId }: { anchorId: string }) {
  return (
    <OpenedForm
      {...{ start: texts.start, lead: texts.lead, confirm: texts.confirm }}
      initial={{ version: '', image: '' }}
      check={() => ({})}
      send={async ({ version, image }) => {
        const body = { ...(version ? { version } : {}), ...(image ? { image } : {}) }
        await call(upgradeAnchor, { params: { id: anchorId }, body })
        await refresh(listUpgrades)
      }}
      explain={error => ({
        errors: fieldErrorsOf(error),
        failure: { ...describeError(error), title: texts.failed },
      })}
    >
      <TextField {...texts.version} name="version" optional autoComplete="off" clean={trim} />
      <TextField {...texts.image} name="image" optional autoComplete="off" clean={trim} />
    </OpenedForm>
  )
}
