import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import type { AnchorSummary, TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import {
  getWorkspaceTreasury,
  setWorkspaceTreasurySettings,
} from '@windlass/contracts/platform/workspace-records.ts'
import { useQuery } from '@tanstack/react-query'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ShareBar } from '@windlass/ui/charts.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { Fact, Facts, Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { queries, refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { assetsOf, type ShownAsset } from '../assets.ts'
import { Settled } from '../settled.tsx'
import { WaitingActs } from '../anchor/waiting-acts.tsx'
import { useMemberName } from '../team/members.ts'
import { CashFlow, TreasuryLine } from './flows.tsx'
import { treasurySettingsQuery } from './settings-query.ts'
import { treasury as texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'

interface OfAsset {
  asset: ShownAsset
}

/** How long the treasury lasts, how to top it up, and its thresholds, ceiling and cold account. */
export function Component() {
  const workspace = useWorkspace()
  const { id: anchorId } = workspace
  const assets = assetsOf(workspace)
  const summary = useQuery(
    operator.query(getWorkspaceTreasury, { params: { anchorId } }, { refetchInterval: 15_000 }),
  )
  return (
    <Settled>
      <div className="space-y-8">
        <WaitingActs />
        <DataScreen query={summary} explain={describeError} skeleton={<Bar className="h-56" />}>
          {data => (
            <div className="space-y-8">
              {assets.map((asset, index) => (
                <Forecast key={asset.id ?? ''} asset={asset} summary={data} holding={data.assets[index]} />
              ))}
              {assets.map((asset, index) => {
                const treasury = index === 0 ? data.treasury : data.assets[index]?.treasury
                return treasury && <TopUp key={asset.id ?? ''} asset={asset} {...treasury} />
              })}
            </div>
          )}
        </DataScreen>
        <CashFlow />
        {assets.map(asset => (
          <Settings key={asset.id ?? ''} asset={asset} />
        ))}
      </div>
    </Settled>
  )
}

/** A title of a section, with the asset where the anchor serves several. */
function useTitle({ name }: ShownAsset): (title: string) => string {
  const { furtherAssets } = useWorkspace()
  return title => (furtherAssets ? `${title}: ${name}` : title)
}

interface ForecastProps extends OfAsset {
  summary: AnchorSummary
  holding: AnchorSummary['assets'][number] | undefined
}

function Forecast({ asset, summary, holding }: ForecastProps) {
  const titleOf = useTitle(asset)
  const units = (amount: string) => `${formatAmount(amount)} ${asset.name}`
  const isFirst = asset.id === undefined
  const treasury = isFirst ? summary.treasury : holding?.treasury
  const available = isFirst ? summary.treasury_capacity : (holding?.capacity ?? '0')
  return (
    <section className="space-y-4">
      <SectionHeading title={titleOf(texts.title)} lead={isFirst ? texts.lead : undefined} />
      {holding?.fault && <Notice tone="warn" title={texts.frozen(asset.name)} />}
      <Panel className="space-y-3 px-4 py-4 sm:px-5">
        {holding && (
          <ShareBar
            values={[Number(available), Number(holding.reserved)]}
            whole={Math.max(Number(holding.balance), Number(treasury?.ceiling ?? 0))}
          />
        )}
        <Facts>
          <Fact name={texts.available}>{units(available)}</Fact>
          {holding && <Fact name={texts.balance}>{units(holding.balance)}</Fact>}
          {treasury && <Fact name={texts.cold}>{units(treasury.cold)}</Fact>}
          {treasury && <Fact name={texts.outflow.label}>{outflowOf(treasury.outflowPerDay, units)}</Fact>}
          {treasury && <Fact name={texts.lasts.label}>{lastsOf(treasury)}</Fact>}
          {isFirst && summary.ledger.spendableXlm && (
            <Fact name={texts.xlm}>{`${formatAmount(summary.ledger.spendableXlm)} XLM`}</Fact>
          )}
        </Facts>
        {holding && (
          <TreasuryLine
            asset={asset.id}
            unit={asset.name}
            reserved={holding.reserved}
            runway={treasury ? lastsOf(treasury) : undefined}
          />
        )}
      </Panel>
    </section>
  )
}

function outflowOf(perDay: string | null, units: (amount: string) => string): string {
  if (perDay === null) return texts.outflow.unknown
  return perDay.startsWith('-') ? texts.outflow.inflow(units(perDay.slice(1))) : units(perDay)
}

function lastsOf({ outflowPerDay, daysLeft }: NonNullable<AnchorSummary['treasury']>): string {
  if (outflowPerDay === null) return texts.outflow.unknown
  return daysLeft === null ? texts.lasts.unlimited : texts.lasts.days(daysLeft)
}

function TopUp({ asset, topUp, coldAccount }: NonNullable<AnchorSummary['treasury']> & OfAsset) {
  const titleOf = useTitle(asset)
  return (
    <section className="space-y-4">
      <SectionHeading title={titleOf(texts.topUp.title)} />
      <Panel className="space-y-3 px-4 py-4 sm:px-5">
        {asset.id === undefined && asset.issuer !== NATIVE && <p className="text-14">{texts.topUp.xlm}</p>}
        <p className="text-14">
          {!asset.isOwn
            ? texts.topUp.existing(asset.name)
            : coldAccount
              ? texts.topUp.units(asset.name)
              : texts.topUp.noCold(asset.name)}
        </p>
        <Facts>
          <Fact name={texts.topUp.account}>
            <Identifier value={topUp.account} what={texts.topUp.account} full />
          </Fact>
          <Fact name={texts.topUp.memo}>{topUp.memo}</Fact>
          {!asset.isOwn && asset.issuer && asset.issuer !== NATIVE && (
            <Fact name={texts.topUp.issuer(asset.name)}>
              <Identifier value={asset.issuer} what={texts.topUp.issuer(asset.name)} full />
            </Fact>
          )}
          {coldAccount && (
            <Fact name={texts.coldAccount.label}>
              <Identifier value={coldAccount} what={texts.coldAccount.label} full />
            </Fact>
          )}
        </Facts>
      </Panel>
    </section>
  )
}

function Settings({ asset }: OfAsset) {
  const { id: anchorId, role } = useWorkspace()
  const [editing, setEditing] = useState(false)
  const titleOf = useTitle(asset)
  const query = useQuery(treasurySettingsQuery(anchorId, asset.id))
  const nameOf = useMemberName()
  const units = (amount: string | null) =>
    amount === null ? texts.none : `${formatAmount(amount)} ${asset.name}`
  const isFirst = asset.id === undefined
  return (
    <section className="space-y-4">
      <SectionHeading
        title={titleOf(texts.settings)}
        lead={role === 'owner' || !isFirst ? undefined : texts.ownersOnly}
        actions={
          role === 'owner' && query.data && <Button onClick={() => setEditing(true)}>{texts.change}</Button>
        }
      />
      <DataScreen query={query} explain={describeError} skeleton={<Bar className="h-32" />}>
        {({ settings, history }) => (
          <>
            <Panel className="px-4 py-4 sm:px-5">
              <Facts>
                <Fact name={texts.low.label}>{units(settings.low)}</Fact>
                {isFirst && <Fact name={texts.xlmLow.label}>{`${formatAmount(settings.xlmLow)} XLM`}</Fact>}
                <Fact name={texts.ceiling.label}>{units(settings.ceiling)}</Fact>
                <Fact name={texts.coldAccount.label}>
                  {settings.coldAccount ? (
                    <Identifier value={settings.coldAccount} what={texts.coldAccount.label} full />
                  ) : (
                    texts.none
                  )}
                </Fact>
              </Facts>
            </Panel>
            {history.length > 0 && (
              <div className="mt-4">
                <Table
                  caption={texts.history}
                  rows={history}
                  keyOf={({ at }) => at}
                  columns={[
                    { head: texts.columns.at, className: 'text-soft', cell: ({ at }) => formatDateTime(at) },
                    { head: texts.columns.by, className: 'font-medium', cell: ({ by }) => nameOf(by) },
                    { head: texts.low.label, named: true, cell: row => units(row.settings.low) },
                    { head: texts.ceiling.label, named: true, cell: row => units(row.settings.ceiling) },
                    {
                      head: texts.coldAccount.label,
                      named: true,
                      cell: ({ settings: { coldAccount } }) =>
                        coldAccount ? (
                          <Identifier value={coldAccount} what={texts.coldAccount.label} />
                        ) : (
                          texts.none
                        ),
                    },
                  ]}
                />
              </div>
            )}
            {editing && <SettingsForm asset={asset} settings={settings} onClose={() => setEditing(false)} />}
          </>
        )}
      </DataScreen>
    </section>
  )
}

const ADDRESS = /^G[A-Z2-7]{55}$/

interface SettingsFormProps extends OfAsset {
  settings: TreasurySettings
  onClose(): void
}

function SettingsForm({ asset, settings, onClose }: SettingsFormProps) {
  const { id: anchorId } = useWorkspace()
  const titleOf = useTitle(asset)
  const form = useForm({
    initial: {
      low: settings.low,
      xlmLow: settings.xlmLow,
      ceiling: settings.ceiling ?? '',
      coldAccount: settings.coldAccount ?? '',
    },
    check: ({ low, xlmLow, ceiling, coldAccount }) => {
      const amounts = { low: {}, xlmLow: {}, ceiling: { optional: true } }
      const errors: FormErrors = amountErrors({ low, xlmLow, ceiling }, amounts)
      if (!errors.low && !errors.ceiling && ceiling !== '' && Number(ceiling) <= Number(low))
        errors.ceiling = texts.ceiling.tooLow
      if (coldAccount !== '' && !ADDRESS.test(coldAccount)) errors.coldAccount = texts.coldAccount.invalid
      else if (coldAccount !== '' && ceiling === '') errors.ceiling = texts.ceiling.missing
      return errors
    },
    send: async ({ low, xlmLow, ceiling, coldAccount }) => {
      const body = { low, xlmLow, ceiling: ceiling || null, coldAccount: coldAccount || null }
      const query = { asset: asset.id }
      const set = await operator.call(setWorkspaceTreasurySettings, { params: { anchorId }, query, body })
      queries.setQueryData(treasurySettingsQuery(anchorId, asset.id).queryKey, set)
      void refresh(getWorkspaceTreasury)
      onClose()
    },
    explain: failedAs(texts.failed),
  })
  return (
    <FormPanel title={titleOf(texts.change)} form={form} send={texts.save} onClose={onClose}>
      <AmountField name="low" {...texts.low} unit={asset.name} />
      {asset.id === undefined && <AmountField name="xlmLow" {...texts.xlmLow} unit="XLM" />}
      <AmountField name="ceiling" {...texts.ceiling} unit={asset.name} optional />
      <TextField
        name="coldAccount"
        label={texts.coldAccount.label}
        hint={texts.coldAccount.hint(asset.name)}
        optional
      />
    </FormPanel>
  )
}
