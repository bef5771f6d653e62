import { anchorEndpoints } from '@windlass/contracts/anchor-endpoints.ts'
import { getWorkspaceHealth, type Workspace } from '@windlass/contracts/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
import { LastHour } from '@windlass/ui/availability-bars.tsx'
import { buttonLook } from '@windlass/ui/button.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { useNow } from '@windlass/ui/data-screen.tsx'
import {
  formatAmount,
  formatCountry,
  formatDateTime,
  formatFraction,
  formatList,
} from '@windlass/ui/formats.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { Domain, Fact, Facts, Panel } from '@windlass/ui/page.tsx'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { describeError } from '@windlass/client/errors.ts'
import type { AnchorSummary } from '@windlass/contracts/business-server.ts'
import { getWorkspaceTreasury } from '@windlass/contracts/workspace-records.ts'
import { operator } from '../session.ts'
import { anchorUrl, paths } from '../paths.ts'
import { workspace } from './texts.ts'
import { SigningPanel } from './signing.tsx'
import { WalletChecksPanel } from './wallet-checks.tsx'
import { useWorkspace } from './workspace.tsx'

const texts = workspace.overview

export function Component() {
  const anchor = useWorkspace()
  return (
    <div className="space-y-6">
      {(anchor.status === 'suspended' || anchor.status === 'removed') && (
        <Notice tone="warn" title={texts[anchor.status]}>
          {anchor.reason}
        </Notice>
      )}
      {anchor.ledgerResetAt && (
        <Notice tone="info" title={texts.ledgerReset.title(formatDateTime(anchor.ledgerResetAt))}>
          {texts.ledgerReset.detail}
        </Notice>
      )}
      {['draft', 'provisioning', 'error'].includes(anchor.status) && anchor.jobId && (
        <Link to={paths.provisioning(anchor.jobId)} className={buttonLook('primary')}>
          {texts.watch}
          <Icon name="arrow" />
        </Link>
      )}
      {anchor.status === 'active' && (
        <div className="grid gap-6 lg:grid-cols-2">
          <Availability anchorId={anchor.id} />
          <Treasury anchor={anchor} />
        </div>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <AnchorFacts anchor={anchor} />
        <Terms anchor={anchor} />
      </div>
      {anchor.status === 'active' && <WalletChecksPanel anchorId={anchor.id} />}
      {anchor.status === 'active' && <SigningPanel anchorId={anchor.id} assetCode={anchor.asset.code} />}
      {anchor.status === 'active' && <Endpoints homeDomain={anchor.homeDomain} />}
    </div>
  )
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Panel className="px-4 py-4 sm:px-5">
      <h2 className="font-semibold">{title}</h2>
      <Facts className="mt-1">{children}</Facts>
    </Panel>
  )
}

function AnchorFacts({ anchor }: { anchor: Workspace }) {
  const { asset } = anchor
  const account = (name: string, value: string | null) =>
    value && (
      <Fact name={name}>
        <Identifier value={value} what={name.toLowerCase()} />
      </Fact>
    )
  return (
    <Block title={texts.anchor}>
      <Fact name={texts.homeDomain}>
        <Domain>{anchor.homeDomain}</Domain>
      </Fact>
      {account(texts.id, anchor.id)}
      <Fact name={texts.asset}>{texts.assetOf(asset.code, asset.name, asset.anchoredTo)}</Fact>
      <Fact name={texts.issued}>
        <span className="tabular">
          {formatAmount(asset.issued)} {asset.code}
        </span>
      </Fact>
      {account(texts.issuer, anchor.issuer)}
      {account(texts.distribution, anchor.distribution)}
      {account(texts.signingKey, anchor.signingKey)}
      {anchor.activatedAt && <Fact name={texts.activeSince}>{formatDateTime(anchor.activatedAt)}</Fact>}
    </Block>
  )
}

function Terms({ anchor }: { anchor: Workspace }) {
  const { code } = anchor.asset
  return (
    <Block title={texts.terms}>
      <Fact name={texts.rails}>{formatList(anchor.rails)}</Fact>
      <Fact name={texts.regions}>{formatList(anchor.regions.map(formatCountry))}</Fact>
      <Fact name={texts.settlement}>{texts.settlements[anchor.settlement] ?? anchor.settlement}</Fact>
      <Fact name={texts.fee}>
        <span className="tabular">
          {texts.feeOf(formatAmount(anchor.fees.fixed), code, formatFraction(anchor.fees.percentage))}
        </span>
      </Fact>
      <Fact name={texts.limits}>
        <span className="tabular">
          {texts.limitsOf(formatAmount(anchor.limits.min), formatAmount(anchor.limits.max), code)}
        </span>
      </Fact>
    </Block>
  )
}

function Endpoints({ homeDomain }: { homeDomain: string }) {
  const address = anchorUrl(homeDomain)
  const protocols = Object.entries(anchorEndpoints(address)) as [keyof typeof texts.protocols, string][]
  const discovery = `${address}/.well-known/stellar.toml`
  return (
    <Block title={texts.endpoints}>
      <Fact name={texts.discovery}>
        <a
          href={discovery}
          target="_blank"
          rel="noreferrer"
          className="link inline-flex items-start gap-1 font-mono text-13"
        >
          <span className="min-w-0 wrap-anywhere">{discovery}</span>
          <Icon name="out" className="mt-0.5 size-3.5" />
        </a>
      </Fact>
      {protocols.map(([name, url]) => (
        <Fact key={name} name={texts.protocols[name]}>
          <Identifier value={url} what={texts.protocols[name]} full />
        </Fact>
      ))}
    </Block>
  )
}

function Availability({ anchorId }: { anchorId: string }) {
  const now = useNow(15_000)
  const health = useQuery({
    queryKey: ['operator', 'health', anchorId],
    queryFn: ({ signal }) => operator.call(getWorkspaceHealth, { params: { anchorId }, signal }),
    refetchInterval: 15_000,
  })
  if (!health.data) return null
  return (
    <Panel className="px-4 py-4 sm:px-5">
      <LastHour {...health.data} now={now} level={2} />
    </Panel>
  )
}

/** The amount the anchor can pay out now, with its balance and reserves. */
function Treasury({ anchor }: { anchor: Workspace }) {
  const { id: anchorId, asset } = anchor
  const treasury = useQuery({
    queryKey: ['operator', 'treasury', anchorId],
    queryFn: ({ signal }) => operator.call(getWorkspaceTreasury, { params: { anchorId }, signal }),
    refetchInterval: 15_000,
  })
  const holding = treasury.data?.assets.find(({ code }) => code === asset.code)
  const units = (amount: string) => `${formatAmount(amount)} ${asset.code}`
  return (
    <Panel className="space-y-2 px-4 py-4 sm:px-5">
      <h2 className="font-semibold">{workspace.treasury.title}</h2>
      {treasury.error && !treasury.data && (
        <p className="text-14 text-soft">{describeError(treasury.error).detail}</p>
      )}
      {treasury.data && holding && (
        <>
          <p className="text-18 font-semibold tabular">{units(treasury.data.treasury_capacity)}</p>
          <Gauge
            capacity={treasury.data.treasury_capacity}
            reserved={holding.reserved}
            issued={asset.issued}
          />
          <p className="text-13 text-soft tabular">
            {workspace.treasury.of(units(holding.balance), units(holding.reserved), units(asset.issued))}
          </p>
          <LedgerCosts summary={treasury.data} />
        </>
      )}
    </Panel>
  )
}

/** XLM for fees and reserves, and what payments wait for. */
function LedgerCosts({ summary: { ledger, waiting } }: { summary: AnchorSummary }) {
  const { spendableXlm, fee } = ledger
  return (
    <>
      {spendableXlm !== undefined && fee && (
        <p className="text-13 text-soft tabular">
          {workspace.treasury.xlm(formatAmount(spendableXlm))} {workspace.treasury.fee(fee.last, fee.max)}
        </p>
      )}
      {waiting && (
        <Notice tone="warn" title={workspace.treasury.waiting(waiting.payments)}>
          {waiting.reason}
        </Notice>
      )}
    </>
  )
}

/** The available and the reserved share of the issued amount. Only drawn, so floats are precise enough. */
function Gauge({ capacity, reserved, issued }: { capacity: string; reserved: string; issued: string }) {
  const share = (amount: string) => Math.min(100, (100 * Number(amount)) / Number(issued))
  return (
    <svg
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-2 w-full rounded-full bg-hover"
    >
      <rect width={share(capacity)} height="1" className="fill-accent" />
      <rect x={share(capacity)} width={share(reserved)} height="1" className="fill-warn" />
    </svg>
  )
}
