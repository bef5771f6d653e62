import type { FleetAnchor } from '@windlass/contracts/platform/administrators.ts'
import {
  decideWindDown,
  getWindDown,
  requestWindDown,
  type WindDown,
} from '@windlass/contracts/platform/anchor-life.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { keyOf } from '@windlass/ui/console/query.ts'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { formatDateTime, formatDay } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { call, queries } from '../api.ts'
import { useMay } from '../may.ts'
import { meQuery } from '../session.ts'
import { NamedForm } from './named-form.tsx'
import { closing as texts } from './closing-texts.ts'

const DAY_MS = 86_400_000
/** Holders of units get at least so long to redeem them. */
const LEAST_DAYS = 30

const closingKey = (id: string) => keyOf(getWindDown, { params: { id } })

/** How an anchor that owes something is closed: the wish, the second administrator's decision, and what customers read. */
export function Closing({ anchor }: { anchor: FleetAnchor }) {
  const closing = useQuery({
    queryKey: closingKey(anchor.id),
    queryFn: ({ signal }) => readClosing(anchor.id, signal),
    // Without a wish there is nothing to follow.
    refetchInterval: ({ state }) => (state.data ? 30_000 : false),
  })
  const mayClose = useMay('operator')
  const current = closing.data
  if (closing.error && !current) return <ErrorNotice failure={describeError(closing.error)} />
  if (current === undefined) return null
  const stands = current?.state === 'waiting' || current?.state === 'announced'
  const canRequest = mayClose && !stands && anchor.status === 'active'
  if (!current && !canRequest) return null
  return (
    <section className="space-y-3">
      <h3 className="text-13 font-medium text-soft">{texts.title}</h3>
      {current && <State closing={current} anchorId={anchor.id} mayDecide={mayClose} />}
      {canRequest && <Request anchor={anchor} />}
    </section>
  )
}

/** Null where nobody asked for it. */
async function readClosing(id: string, signal: AbortSignal): Promise<WindDown | null> {
  try {
    return await call(getWindDown, { params: { id }, signal })
  } catch (error) {
    if (codeOf(error) === 'not-found') return null
    throw error
  }
}

interface StateProps {
  closing: WindDown
  anchorId: string
  mayDecide: boolean
}

const tones = { waiting: 'info', announced: 'warn', rejected: 'neutral', ended: 'neutral' } as const

function State({ closing, anchorId, mayDecide }: StateProps) {
  const { state, reason, redeemUntil, successor, requestedBy, requestedAt } = closing
  const isOwn = requestedBy === `admin:${useQuery(meQuery).data?.username}`
  return (
    <Notice tone={tones[state]} role="status" title={texts.states[state]}>
      <p className="wrap-anywhere">{reason}</p>
      <p>{texts.redeem(formatDay(redeemUntil))}</p>
      <p className="wrap-anywhere">{texts.answers(successor.name, successor.contact)}</p>
      <p className="text-soft">
        {texts.asked(requestedBy.replace(/^admin:/, ''), formatDateTime(requestedAt))}
      </p>
      {state === 'waiting' && mayDecide && <Decision anchorId={anchorId} isOwn={isOwn} />}
    </Notice>
  )
}

/** Who asked may only take it back. */
function Decision({ anchorId, isOwn }: { anchorId: string; isOwn: boolean }) {
  const decide = useMutation({
    mutationFn: (approve: boolean) => call(decideWindDown, { params: { id: anchorId }, body: { approve } }),
    onSuccess: decided => queries.setQueryData(closingKey(anchorId), decided),
  })
  const button = (approve: boolean, name: string) => (
    <Button
      look={approve ? 'danger' : 'secondary'}
      pending={decide.isPending && decide.variables === approve}
      onClick={() => decide.mutate(approve)}
    >
      {name}
    </Button>
  )
  return (
    <div className="mt-2 space-y-2">
      {decide.error && <ErrorNotice failure={{ ...describeError(decide.error), title: texts.failed }} />}
      {isOwn && <p>{texts.own}</p>}
      <div className="flex flex-wrap gap-2">
        {!isOwn && button(true, texts.approve)}
        {button(false, isOwn ? texts.takeBack : texts.reject)}
      </div>
    </div>
  )
}

const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

function Request({ anchor }: { anchor: FleetAnchor }) {
  return (
    <NamedForm
      {...{ anchor, texts, lead: texts.lead(LEAST_DAYS), reasonHint: texts.reasonHint }}
      // The day after the first that is allowed: by then it may be tomorrow in UTC.
      initial={{ redeemUntil: dayIn(LEAST_DAYS + 1), name: '', contact: '' }}
      check={({ redeemUntil, name, contact }) => ({
        ...(redeemUntil < dayIn(LEAST_DAYS) && { redeemUntil: texts.until.early(LEAST_DAYS) }),
        ...(name.trim() === '' && { name: texts.successor.missing }),
        ...(contact.trim() === '' && { contact: texts.contact.missing }),
      })}
      send={async ({ reason, redeemUntil, name, contact }) => {
        const successor = { name: name.trim(), contact: contact.trim() }
        const body = { reason, redeemUntil, successor }
        const asked = await call(requestWindDown, { params: { id: anchor.id }, body })
        queries.setQueryData(closingKey(anchor.id), asked)
      }}
    >
      <TextField name="redeemUntil" label={texts.until.label} type="date" min={dayIn(LEAST_DAYS)} />
      <TextField name="name" label={texts.successor.label} hint={texts.successor.hint} maxLength={200} />
      <TextField name="contact" label={texts.contact.label} hint={texts.contact.hint} maxLength={300} />
    </NamedForm>
  )
}
