import { NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import {
  getAnchorHealth,
  getAnchorHistory,
  getRegistryEntry,
  type HealthCheck,
  type RegistryEntry,
} from '@windlass/contracts/aggregator/registry.ts'
import { useQuery } from '@tanstack/react-query'
import { LastDays, LastHour } from '@windlass/ui/availability-bars.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty, useNow } from '@windlass/ui/data-screen.tsx'
import {
  formatAmount,
  formatCountry,
  formatDateTime,
  formatFraction,
  formatList,
} from '@windlass/ui/formats.ts'
import { Sparkline } from '@windlass/ui/line-chart.tsx'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { Domain, Fact, Facts, PageHeading, Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { aggregator } from './aggregator.ts'
import { Availability } from './availability.tsx'
import { directory } from './texts.ts'

const texts = directory.anchor

/** The public status and terms of one anchor. */
export function Anchor({ id }: { id: string }) {
  const found = useQuery(aggregator.query(getRegistryEntry, { params: { id } }, { refetchInterval: 15_000 }))
  return (
    <div className="mx-auto w-full max-w-[1120px] space-y-6 px-4 py-8 sm:px-6">
      <p className="text-14">
        <Link className="link" to={paths.anchors()}>
          {texts.all}
        </Link>
      </p>
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-60" />}>
        {anchor => <AnchorStatus {...anchor} />}
      </DataScreen>
    </div>
  )
}

function AnchorStatus({ anchor, health }: { anchor: RegistryEntry; health: readonly HealthCheck[] }) {
  return (
    <>
      <PageHeading
        title={anchor.name}
        product={shell.product}
        lead={<Domain>{anchor.domain}</Domain>}
        actions={<Availability entry={anchor} />}
      />
      {anchor.external && (
        <Notice tone="info" title={texts.externalNotice.title}>
          {texts.externalNotice.detail}
        </Notice>
      )}
      <Hour id={anchor.id} />
      <Days id={anchor.id} />
      <Panel className="px-4">
        <Terms anchor={anchor} />
      </Panel>
      <Latency rows={health} />
      <Checks rows={health} isExternal={anchor.external !== undefined} />
    </>
  )
}

function Hour({ id }: { id: string }) {
  const now = useNow(15_000)
  const hour = useQuery(aggregator.query(getAnchorHealth, { params: { id } }, { refetchInterval: 15_000 }))
  return hour.data && <LastHour {...hour.data} now={now} level={2} />
}

function Days({ id }: { id: string }) {
  const now = useNow(60_000)
  const history = useQuery(
    aggregator.query(getAnchorHistory, { params: { id } }, { refetchInterval: 300_000 }),
  )
  return history.data && <LastDays days={history.data.days} now={now} />
}

function Terms({ anchor }: { anchor: RegistryEntry }) {
  const { facts } = texts
  const { assets, rails, regions, external, domainVerified } = anchor
  return (
    <Facts>
      {!external && (
        <Fact name={facts.verified}>
          {domainVerified ? texts.network.verified : texts.network.unverified}
        </Fact>
      )}
      {assets.map(asset => (
        <AssetTerms key={`${asset.code}:${asset.issuer}`} anchor={anchor} asset={asset} />
      ))}
      <Fact name={facts.rails}>{rails.length > 0 ? formatList(rails) : directory.unknown}</Fact>
      <Fact name={facts.regions}>
        {regions.length > 0 ? formatList(regions.map(formatCountry)) : directory.unknown}
      </Fact>
      <Fact name={facts.settlement}>{texts.settlements[anchor.settlement] ?? anchor.settlement}</Fact>
      {external && <Fact name={facts.standards}>{formatList(external.seps.map(texts.sep))}</Fact>}
      {external && external.unknown.length > 0 && (
        <Fact name={facts.unknown}>{formatList(external.unknown)}</Fact>
      )}
      {anchor.lastCheckedAt && <Fact name={texts.checked}>{formatDateTime(anchor.lastCheckedAt)}</Fact>}
    </Facts>
  )
}

/** External anchors have terms for each asset. */
function AssetTerms({ anchor, asset }: { anchor: RegistryEntry; asset: RegistryEntry['assets'][number] }) {
  const { facts } = texts
  const { code, terms } = asset
  const { min, max } = terms ?? anchor.limits
  const fees = terms ? terms.fees : anchor.fees
  const stated = (amount: string | null) => (amount === null ? directory.unknown : formatAmount(amount))
  const prices = Object.entries(terms?.prices ?? {})
  return (
    <>
      {asset.issuer !== NATIVE && (
        <Fact name={facts.issuer(code)}>
          <span className="font-mono text-13 wrap-anywhere">{asset.issuer}</span>
        </Fact>
      )}
      <Fact name={facts.limits}>{texts.range(stated(min), stated(max), code)}</Fact>
      <Fact name={facts.fee}>
        {fees
          ? directory.fee(`${formatAmount(fees.fixed)} ${code}`, formatFraction(fees.percentage))
          : directory.unknown}
      </Fact>
      {prices.length > 0 && (
        <Fact name={facts.prices}>
          {formatList(prices.map(([currency, price]) => texts.price(formatAmount(price), currency, code)))}
        </Fact>
      )}
    </>
  )
}

/** How fast the anchor answered its latest checks, oldest first. */
function Latency({ rows }: { rows: readonly HealthCheck[] }) {
  const values = rows.map(({ latencyMs }) => latencyMs).reverse()
  const last = values.at(-1)
  if (last === undefined || values.length < 2) return null
  const sorted = values.toSorted((one, other) => one - other)
  const [typical, slowest] = [sorted[Math.floor(sorted.length / 2)] ?? last, sorted.at(-1) ?? last]
  const words = texts.latency.words(texts.milliseconds(typical), texts.milliseconds(slowest))
  return (
    <div className="space-y-2">
      <h2 className="flex flex-wrap justify-between gap-x-4 font-semibold">
        {texts.latency.title}
        <span className="text-13 font-normal text-soft tabular">{words}</span>
      </h2>
      <Sparkline label={`${texts.latency.title}: ${words}`} values={values} />
    </div>
  )
}

function Checks({ rows, isExternal }: { rows: readonly HealthCheck[]; isExternal: boolean }) {
  const { checks } = texts
  return (
    <section className="space-y-4">
      <SectionHeading title={checks.title} lead={isExternal ? checks.lead : checks.own} />
      {rows.length === 0 ? (
        <Empty title={checks.empty} />
      ) : (
        <Table
          caption={checks.title}
          rows={rows}
          keyOf={row => row.checkedAt}
          columns={[
            timeColumn<HealthCheck>(checks.columns.at, row => row.checkedAt),
            { head: checks.columns.result, cell: row => <Result check={row} /> },
            {
              head: checks.columns.latency,
              numeric: true,
              named: true,
              cell: row => texts.milliseconds(row.latencyMs),
            },
            ...(isExternal
              ? [{ head: checks.columns.steps, className: 'text-soft max-sm:w-full', cell: stepsOf }]
              : []),
          ]}
        />
      )}
    </section>
  )
}

function Result({ check }: { check: HealthCheck }) {
  const { checks } = texts
  return check.current_availability ? (
    <Status tone="good">{checks.ok}</Status>
  ) : (
    <Status tone="bad">{checks.failed(check.failure ?? directory.unknown)}</Status>
  )
}

const stepsOf = ({ steps = [] }: HealthCheck) =>
  steps
    .map(({ step, latencyMs, failure }) =>
      texts.step(texts.steps[step], texts.milliseconds(latencyMs), failure),
    )
    .join(', ')
