import { refreshFleet } from './refresh-fleet.ts'
import { NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import { type FleetAnchor, resumeAnchor, suspendAnchor } from '@windlass/contracts/platform/administrators.ts'
import { getAnchorHealth, type RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { LastHour } from '@windlass/ui/availability-bars.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { ErrorNotice, useNow } from '@windlass/ui/data-screen.tsx'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { OpenedForm } from '@windlass/ui/opened-form.tsx'
import {
  formatAmount,
  formatCountry,
  formatDateTime,
  formatFraction,
  formatList,
} from '@windlass/ui/formats.ts'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { Link } from 'react-router'
import { RawJson } from '@windlass/ui/raw-json.tsx'
import { listFleetEvents } from '@windlass/contracts/platform/anchor-life.ts'
import { aggregator, call, query } from '../api.ts'
import { paths } from '../paths.ts'
import { useMay } from '../may.ts'
import { AnchorBadge } from './anchor-badge.tsx'
import { fleet as texts } from './texts.ts'
import { Closing } from './closing.tsx'
import { RemovalSection } from './removal.tsx'
import { Upgrades } from './upgrades.tsx'

interface AnchorPanelProps {
  id: string | undefined
  anchor: FleetAnchor | undefined
  /** Its registry entry; absent before it is registered. */
  entry: RegistryEntry | undefined
  onClose(): void
}

export function AnchorPanel({ id, anchor, entry, onClose }: AnchorPanelProps) {
  return (
    <SidePanel
      open={id !== undefined && anchor !== undefined}
      onClose={onClose}
      title={anchor?.homeDomain ?? texts.title}
      footer={anchor && <SuspendOrResume key={id} anchor={anchor} />}
    >
      {anchor && <AnchorFacts anchor={anchor} entry={entry} />}
    </SidePanel>
  )
}

function AnchorFacts({ anchor, entry }: { anchor: FleetAnchor; entry: RegistryEntry | undefined }) {
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <AnchorBadge anchor={anchor} />
        <Identifier value={anchor.id} what={texts.fields.id.toLowerCase()} />
      </div>
      {entry && <Availability anchorId={anchor.id} />}
      <Facts>
        {anchor.reason && <Fact name={texts.fields.reason}>{anchor.reason}</Fact>}
        <Fact name={texts.fields.organization}>{anchor.organizationName}</Fact>
        <Fact name={texts.fields.asset}>
          <span className="font-mono text-13">
            {entry?.assets.map(({ code }) => code).join(', ') ?? anchor.assetCode}
          </span>
        </Fact>
        {anchor.issuer && anchor.issuer !== NATIVE && (
          <Fact name={texts.fields.issuer}>
            <Identifier value={anchor.issuer} what={texts.fields.issuer.toLowerCase()} />
          </Fact>
        )}
        <Fact name={texts.fields.rails}>{formatList(anchor.rails)}</Fact>
        <Fact name={texts.fields.regions}>{formatList(anchor.regions.map(formatCountry))}</Fact>
        {entry && (
          <Fact name={texts.fields.capacity}>
            {entry.assets.map(({ code, issuer, capacity = entry.treasury_capacity }) => (
              <span key={`${code}:${issuer}`} className="block tabular">
                {formatAmount(capacity)} {code}
              </span>
            ))}
          </Fact>
        )}
        {entry?.differences && (
          <Fact name={texts.fields.differences}>
            {entry.differences.map(({ kind, since, share, failure }) => (
              <span key={kind} className="block">
                {kind === 'price'
                  ? texts.differences.price(formatFraction(share ?? '0'))
                  : texts.differences.start(failure ?? '')}{' '}
                <span className="text-13 text-soft">{texts.differences.since(formatDateTime(since))}</span>
              </span>
            ))}
          </Fact>
        )}
        <Fact name={texts.fields.created}>{formatDateTime(anchor.createdAt)}</Fact>
        {anchor.activatedAt && (
          <Fact name={texts.fields.activated}>{formatDateTime(anchor.activatedAt)}</Fact>
        )}
        {anchor.asleepSince && (
          <Fact name={texts.fields.asleep}>
            {formatDateTime(anchor.asleepSince)}
            <span className="block text-13 text-soft">{texts.asleepHint}</span>
          </Fact>
        )}
        {anchor.jobId && (
          <Fact name={texts.fields.job}>
            <Link to={paths.jobs({ open: anchor.jobId })} className="link">
              {texts.openJob}
            </Link>
          </Fact>
        )}
      </Facts>
      <Events anchorId={anchor.id} />
      {isDeployed(anchor) && <Upgrades anchor={anchor} />}
      {isDeployed(anchor) && <Closing anchor={anchor} />}
      {(isDeployed(anchor) || anchor.status === 'removed') && <RemovalSection anchor={anchor} />}
      <RawJson value={anchor} />
    </div>
  )
}

const isDeployed = ({ status }: FleetAnchor) => status === 'active' || status === 'suspended'

function Availability({ anchorId }: { anchorId: string }) {
  const now = useNow(15_000)
  const health = useQuery(
    aggregator.query(getAnchorHealth, { params: { id: anchorId } }, { refetchInterval: 15_000 }),
  )
  return health.data && <LastHour {...health.data} now={now} level={3} />
}

/** Suspends an active anchor with a reason, or resumes a suspended one. */
function SuspendOrResume({ anchor }: { anchor: FleetAnchor }) {
  const mayChange = useMay('operator')
  const resume = useMutation({
    mutationFn: () => call(resumeAnchor, { params: { id: anchor.id } }),
    onSettled: refreshFleet,
  })
  if (!mayChange) return null
  if (anchor.status === 'suspended') {
    return (
      <div className="space-y-3">
        {resume.error && <ErrorNotice failure={{ ...describeError(resume.error), title: texts.failed }} />}
        <Button look="primary" pending={resume.isPending} onClick={() => resume.mutate()}>
          {texts.resume}
        </Button>
      </div>
    )
  }
  if (anchor.status !== 'active') return null
  return (
    <OpenedForm
      {...{ start: texts.suspend, lead: texts.suspendHint, confirm: texts.confirmSuspend, look: 'danger' }}
      initial={{ reason: '' }}
      check={({ reason }) => (reason.trim() === '' ? { reason: texts.reason.missing } : {})}
      send={async ({ reason }) => {
        await call(suspendAnchor, { params: { id: anchor.id }, body: { reason: reason.trim() } })
        await refreshFleet()
      }}
      explain={failedAs(texts.failed)}
    >
      <TextAreaField
        {...{ name: 'reason', label: texts.reason.label, hint: texts.reason.hint }}
        rows={3}
        maxLength={2000}
      />
    </OpenedForm>
  )
}

/** Changes the platform made to an anchor; nothing while there are none. */
function Events({ anchorId }: { anchorId: string }) {
  const events = useQuery(query(listFleetEvents, { params: { id: anchorId } }, { refetchInterval: 15_000 }))
  if (events.error) return <ErrorNotice failure={describeError(events.error)} />
  if (!events.data || events.data.length === 0) return null
  return (
    <section className="space-y-3">
      <h3 className="text-13 font-medium text-soft">{texts.events.title}</h3>
      <ol className="divide-y divide-line rounded-8 border border-line text-13">
        {events.data.map(({ id, at, kind, detail }) => (
          <li key={id} className="space-y-0.5 px-3 py-2">
            <div className="flex flex-wrap justify-between gap-x-4">
              <strong className="font-medium">{texts.events.kinds[kind]}</strong>
              <time dateTime={at} className="text-soft">
                {formatDateTime(at)}
              </time>
            </div>
            <p className="wrap-break-word text-soft">{detail}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
