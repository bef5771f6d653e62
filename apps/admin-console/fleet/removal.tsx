import type { FleetAnchor } from '@windlass/contracts/administrators.ts'
import { downloadExport, getRemoval, removeAnchor, type Removal } from '@windlass/contracts/anchor-life.ts'
import { codeOf, troubleOf } from '@windlass/client/trouble.ts'
import { useQuery } from '@tanstack/react-query'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { TroubleNotice } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm, type FormErrors } from '@windlass/ui/form.tsx'
import { formatAmount, formatBytes } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { useEffect, useState } from 'react'
import { call, queries } from '../api.ts'
import { anchorLife } from '../texts/anchor-life.ts'

const texts = anchorLife.removal

const isOver = ({ state }: Removal) => state === 'done' || state === 'refused'

const removalKey = (anchorId: string) => ['fleet', anchorId, 'removal'] as const

/** How far an anchor's removal is, with its export; or, where nobody asked for it, the way to ask. */
export function RemovalSection({ anchor }: { anchor: FleetAnchor }) {
  const removal = useQuery({
    queryKey: removalKey(anchor.id),
    queryFn: ({ signal }) => readRemoval(anchor.id, signal),
    // Whoever asks for a removal suspends the anchor first: an active one has none.
    enabled: anchor.status !== 'active',
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? 2_000 : 30_000),
  })
  const asked = removal.data
  useEffect(() => {
    // The fleet's list learns of the end at once, not with its next refresh.
    if (asked?.state === 'done') void queries.invalidateQueries({ queryKey: ['fleet'] })
  }, [asked?.state])
  if (removal.error && !asked) return <TroubleNotice trouble={troubleOf(removal.error)} />
  if (asked === undefined && anchor.status !== 'active') return null
  const mayAsk = ['active', 'suspended'].includes(anchor.status) && (!asked || asked.state === 'refused')
  return (
    <section className="space-y-3">
      <h3 className="text-13 font-medium text-soft">{texts.title}</h3>
      {asked && <Progress removal={asked} anchorId={anchor.id} />}
      {mayAsk && <AskForRemoval anchor={anchor} />}
    </section>
  )
}

/** Null where nobody asked for one. */
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
  return (
    <Notice
      tone={state === 'done' ? 'neutral' : state === 'refused' ? 'bad' : 'info'}
      role="status"
      title={texts.states[state]}
      actions={
        removal.export && (
          <a
            className={buttonLook()}
            download={removal.export.file}
            href={downloadExport.path.replace(':id', encodeURIComponent(anchorId))}
          >
            {texts.download(formatBytes(removal.export.bytes))}
          </a>
        )
      }
    >
      {error && <p className="wrap-anywhere text-bad">{error}</p>}
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

function AskForRemoval({ anchor }: { anchor: FleetAnchor }) {
  const [asking, setAsking] = useState(false)
  const form = useForm({
    initial: { reason: '', force: [] as readonly string[], subdomain: '' },
    check: ({ reason, subdomain }): FormErrors => ({
      ...(reason.trim() === '' && { reason: texts.reason.missing }),
      ...(subdomain !== anchor.subdomain && { subdomain: texts.confirmName.wrong }),
    }),
    send: async ({ reason, force }) => {
      const { removal } = await call(removeAnchor, {
        params: { id: anchor.id },
        body: { reason: reason.trim(), force: force.includes('force') },
      })
      queries.setQueryData(removalKey(anchor.id), removal)
      await queries.invalidateQueries({ queryKey: ['fleet'] })
      setAsking(false)
    },
    explain: error => ({ trouble: { ...troubleOf(error), title: anchorLife.failed } }),
  })
  if (!asking) {
    return (
      <Button look="quietDanger" className="-ml-3.5" onClick={() => setAsking(true)}>
        {texts.ask}
      </Button>
    )
  }
  return (
    <FormShell form={form} className="space-y-3">
      <p className="text-14 text-soft">{texts.lead}</p>
      <TextAreaField
        name="reason"
        label={texts.reason.label}
        hint={texts.reason.hint}
        rows={3}
        maxLength={2000}
      />
      <ChoicesField name="force" label={texts.force.label} optional choices={[texts.force.choice]} />
      <TextField
        name="subdomain"
        label={texts.confirmName.label(anchor.subdomain)}
        autoComplete="off"
        spellCheck={false}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="danger" pending={form.pending}>
          {texts.confirm}
        </Button>
        <Button look="quiet" onClick={() => setAsking(false)}>
          {anchorLife.cancel}
        </Button>
      </div>
    </FormShell>
  )
}
