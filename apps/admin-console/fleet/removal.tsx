import { keyOf } from '@windlass/ui/console/query.ts'
import { refreshFleet } from './refresh-fleet.ts'
import type { FleetAnchor } from '@windlass/contracts/platform/administrators.ts'
import {
  downloadExport,
  type Export,
  getRemoval,
  type Removal,
  removeAnchor,
} from '@windlass/contracts/platform/anchor-life.ts'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { saveFile } from '@windlass/ui/console/csv.ts'
import { formatBytes } from '@windlass/ui/format-units.ts'
import { formatAmount } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { useEffect } from 'react'
import { call, open, queries } from '../api.ts'
import { useMay } from '../may.ts'
import { NamedForm } from './named-form.tsx'
import { fleet } from './texts.ts'

const texts = fleet.removal

const isFinished = ({ state }: Removal) => state === 'done' || state === 'refused'

const removalKey = (id: string) => keyOf(getRemoval, { params: { id } })

/** The progress of an anchor's removal with its export, or the form that requests one. */
export function RemovalSection({ anchor }: { anchor: FleetAnchor }) {
  const removal = useQuery({
    queryKey: removalKey(anchor.id),
    queryFn: ({ signal }) => readRemoval(anchor.id, signal),
    // A removal suspends the anchor first, so an active anchor has none.
    enabled: anchor.status !== 'active',
    refetchInterval: ({ state }) => (state.data && !isFinished(state.data) ? 2_000 : 30_000),
  })
  const current = removal.data
  const mayRemove = useMay('operator')
  useEffect(() => {
    // Refreshes the fleet's list once the removal is done.
    if (current?.state === 'done') void refreshFleet()
  }, [current?.state])
  if (removal.error && !current) return <ErrorNotice failure={describeError(removal.error)} />
  if (current === undefined && anchor.status !== 'active') return null
  const canRequest =
    mayRemove && ['active', 'suspended'].includes(anchor.status) && (!current || current.state === 'refused')
  if (!current && !canRequest) return null
  return (
    <section className="space-y-3">
      <h3 className="text-13 font-medium text-soft">{texts.title}</h3>
      {current && <Progress removal={current} anchorId={anchor.id} />}
      {canRequest && <RequestRemoval anchor={anchor} />}
    </section>
  )
}

/** Null where no removal was requested. */
async function readRemoval(id: string, signal: AbortSignal): Promise<Removal | null> {
  try {
    return await call(getRemoval, { params: { id }, signal })
  } catch (error) {
    if (codeOf(error) === 'removal-not-found') return null
    throw error
  }
}

function Progress({ removal, anchorId }: { removal: Removal; anchorId: string }) {
  const { state, reason, error } = removal
  const mayDownload = useMay('operator')
  // Not a link: the download may ask for a confirmation.
  const download = useMutation({
    mutationFn: async ({ file }: Export) =>
      saveFile(file, await (await open(downloadExport, { params: { id: anchorId } })).blob()),
  })
  return (
    <Notice
      tone={state === 'done' ? 'neutral' : state === 'refused' ? 'bad' : 'info'}
      role="status"
      title={texts.states[state]}
      actions={
        removal.export &&
        mayDownload && (
          <Button
            pending={download.isPending}
            onClick={() => removal.export && download.mutate(removal.export)}
          >
            {texts.download(formatBytes(removal.export.bytes))}
          </Button>
        )
      }
    >
      {error && <p className="wrap-anywhere text-bad">{error}</p>}
      {download.error && <p className="text-bad">{describeError(download.error).detail}</p>}
      <p className="wrap-anywhere">{reason}</p>
      {removal.export && (
        <Facts className="mt-1">
          <Fact name={texts.rows}>{formatAmount(String(removal.export.rows))}</Fact>
          <Fact name={texts.checksum}>
            <Identifier value={removal.export.sha256} what={texts.checksum} />
          </Fact>
        </Facts>
      )}
    </Notice>
  )
}

function RequestRemoval({ anchor }: { anchor: FleetAnchor }) {
  return (
    <NamedForm
      {...{ anchor, texts, lead: texts.lead, reasonHint: fleet.reason.hint }}
      initial={{ force: [] as readonly string[] }}
      send={async ({ reason, force }) => {
        const body = { reason, force: force.includes('force'), leaveUnits: force.includes('units') }
        const { removal } = await call(removeAnchor, { params: { id: anchor.id }, body })
        queries.setQueryData(removalKey(anchor.id), removal)
        await refreshFleet()
      }}
    >
      <ChoicesField name="force" label={texts.force.label} optional choices={texts.force.choices} />
    </NamedForm>
  )
}
