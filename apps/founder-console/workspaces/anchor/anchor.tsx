import { anchorEndpoints } from '@windlass/contracts/internal/anchor-endpoints.ts'
import { NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import {
  formatAmount,
  formatCountry,
  formatDateTime,
  formatFraction,
  formatList,
} from '@windlass/ui/formats.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { otherInstallation } from '@windlass/ui/console/installation.ts'
import { Domain, Fact, Facts, Panel } from '@windlass/ui/page.tsx'
import type { ReactNode } from 'react'
import { CARRIED_PAGE, carryTo } from '../../apply/carried.ts'
import { anchorUrl } from '../../paths.ts'
import { unitOfEach } from '../assets.ts'
import { ExportKeyPanel } from './export-key.tsx'
import { SigningPanel } from './signing.tsx'
import { WaitingActs } from './waiting-acts.tsx'
import { overview as texts } from '../overview/texts.ts'
import { WalletChecksPanel } from './wallet-checks.tsx'
import { useWorkspace } from '../workspace.tsx'

/** What the anchor is: accounts, terms, endpoints, wallet compatibility and signing limits. */
export function Component() {
  const anchor = useWorkspace()
  return (
    <div className="space-y-6">
      <WaitingActs />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <AnchorFacts anchor={anchor} />
        <Terms anchor={anchor} />
      </div>
      {anchor.status === 'active' && <WalletChecksPanel anchorId={anchor.id} />}
      {anchor.status === 'active' && <SigningPanel anchorId={anchor.id} />}
      <ExportKeyPanel />
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
  const isXlm = asset.issuer === NATIVE
  return (
    <Block title={texts.anchor}>
      <Fact name={texts.homeDomain}>
        <Domain>{anchor.homeDomain}</Domain>
      </Fact>
      {account(texts.id, anchor.id)}
      <Fact name={texts.asset}>
        {isXlm ? `${asset.code} (${asset.name})` : texts.assetOf(asset.code, asset.name, asset.anchoredTo)}
      </Fact>
      {!asset.issuer && (
        <Fact name={texts.issued}>
          <span className="tabular">
            {formatAmount(asset.issued)} {asset.code}
          </span>
        </Fact>
      )}
      {!isXlm && account(texts.issuer, anchor.issuer)}
      {(anchor.furtherAssets ?? []).map(({ code, name, anchoredTo, issuer }) => (
        <Fact key={`${code} ${issuer}`} name={texts.asset}>
          {texts.assetOf(code, name, anchoredTo)} <Identifier value={issuer} what={texts.issuer} />
        </Fact>
      ))}
      {account(texts.distribution, anchor.distribution)}
      {account(texts.signingKey, anchor.signingKey)}
      {anchor.activatedAt && <Fact name={texts.activeSince}>{formatDateTime(anchor.activatedAt)}</Fact>}
    </Block>
  )
}

function Terms({ anchor }: { anchor: Workspace }) {
  const unit = unitOfEach(anchor)
  const other = otherInstallation()
  return (
    <Block title={texts.terms}>
      <Fact name={texts.rails}>{formatList(anchor.rails)}</Fact>
      <Fact name={texts.regions}>{formatList(anchor.regions.map(formatCountry))}</Fact>
      <Fact name={texts.settlement}>{texts.settlements[anchor.settlement] ?? anchor.settlement}</Fact>
      <Fact name={texts.fee}>
        <span className="tabular">
          {texts.feeOf(formatAmount(anchor.fees.fixed), unit, formatFraction(anchor.fees.percentage))}
        </span>
      </Fact>
      <Fact name={texts.limits}>
        <span className="tabular">
          {texts.limitsOf(formatAmount(anchor.limits.min), formatAmount(anchor.limits.max), unit)}
        </span>
      </Fact>
      {other && (
        <Fact name={texts.otherInstallation[other.kind].name}>
          <a href={carryTo(other.addressOf(CARRIED_PAGE), anchor)} className="link">
            {texts.otherInstallation[other.kind].action}
          </a>
        </Fact>
      )}
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
