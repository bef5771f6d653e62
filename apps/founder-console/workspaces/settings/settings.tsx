import { getWorkspace } from '@windlass/contracts/anchor/developer-api.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import {
  type AnchorSettings,
  directions,
  setWorkspaceSettings,
  type SettingsVersion,
  tiers,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatDateTime, formatFraction } from '@windlass/ui/formats.ts'
import { Fact, Facts, Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { queries, refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { settingsQuery } from './settings-query.ts'
import { BrandingForm } from './branding-form.tsx'
import { FeesForm, LimitsForm, RailsForm, SettingsPanel } from './settings-forms.tsx'
import { PauseButton, PauseForm } from './pause-form.tsx'
import { RailAccounts } from './rail-accounts.tsx'
import { texts } from './texts.ts'
import { isAllowed, walletOptions, WalletsForm } from './wallets-form.tsx'
import { useMemberName } from '../team/members.ts'
import { unitOfEach } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

const parts = ['fees', 'limits', 'wallets', 'rails', 'branding'] as const
type Part = (typeof parts)[number]
const forms = {
  fees: FeesForm,
  limits: LimitsForm,
  wallets: WalletsForm,
  rails: RailsForm,
  branding: BrandingForm,
  pause: PauseForm,
}

/** Fees, limits, rails and branding of the anchor, and who changed them. */
export function Component() {
  const { id: anchorId, role } = useWorkspace()
  const [editing, setEditing] = useState<keyof typeof forms>()
  const [restored, setRestored] = useState<SettingsVersion>()
  const query = useQuery(settingsQuery(anchorId))
  const save = async (version: number, settings: AnchorSettings) => {
    const set = await operator.call(setWorkspaceSettings, {
      params: { anchorId },
      body: { settings, version },
    })
    queries.setQueryData(settingsQuery(anchorId).queryKey, set)
    void refresh(getWorkspace)
    setEditing(undefined)
    setRestored(undefined)
  }
  return (
    <div className="space-y-8">
      <SectionHeading
        title={texts.title}
        lead={!manages(role) ? `${texts.lead} ${texts.managersOnly}` : texts.lead}
        actions={
          manages(role) &&
          query.data && (
            <PauseButton
              settings={query.data.history[0]?.settings}
              onPause={() => setEditing('pause')}
              onResume={() => setEditing('rails')}
            />
          )
        }
      />
      <DataScreen query={query} explain={describeError} skeleton={<Bar className="h-56" />}>
        {({ history }) => {
          const [current] = history
          if (!current) return null
          const Form = editing && forms[editing]
          return (
            <div className="space-y-8">
              {parts.map(part => (
                <section key={part} className="space-y-3">
                  <SectionHeading
                    title={texts[part].title}
                    lead={texts[part].lead}
                    actions={
                      manages(role) && (
                        <Button
                          onClick={() => setEditing(part)}
                          aria-label={`${texts.change}: ${texts[part].title}`}
                        >
                          {texts.change}
                        </Button>
                      )
                    }
                  />
                  <PartFacts part={part} settings={current.settings} />
                </section>
              ))}
              {manages(role) && <RailAccounts />}
              <History history={history} onRestore={manages(role) ? setRestored : undefined} />
              {restored && (
                <RestoreForm
                  current={current.settings}
                  restored={restored.settings}
                  onSave={settings => save(current.version, settings)}
                  onClose={() => setRestored(undefined)}
                />
              )}
              {Form && (
                <Form
                  settings={current.settings}
                  onSave={settings => save(current.version, settings)}
                  onClose={() => setEditing(undefined)}
                />
              )}
            </div>
          )
        }}
      </DataScreen>
    </div>
  )
}

function PartFacts({ part, settings }: { part: Part; settings: AnchorSettings }) {
  const workspace = useWorkspace()
  return (
    <Panel className="px-4 py-4 sm:px-5">
      <Facts>
        {factsOf(settings, workspace)
          .filter(fact => fact.part === part)
          .map(({ name, value }) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
      </Facts>
    </Panel>
  )
}

interface SettingFact {
  part: Part
  name: string
  value: string
}

/** Every setting in words: what a panel lists, and what two versions differ in. */
function factsOf(settings: AnchorSettings, workspace: Workspace): SettingFact[] {
  const { fees, limits, approvals, rails, paused, branding } = settings
  const unit = unitOfEach(workspace)
  const fee = (of: { fixed: string; percentage: string }) =>
    texts.fees.fee(formatAmount(of.fixed), unit, formatFraction(of.percentage))
  const limit = (amount: string | null, of = unit) =>
    amount === null ? texts.limits.unlimited : `${formatAmount(amount)} ${of}`
  const range = texts.limits.rangeOf(formatAmount(limits.min), formatAmount(limits.max), unit)
  return [
    ...directions.map(each => ({
      part: 'fees' as const,
      name: texts.direction[each],
      value: fee(fees[each]),
    })),
    ...fees.rails.map(each => ({
      part: 'fees' as const,
      name: texts.fees.over(each.rail, each.direction),
      value: fee(each),
    })),
    ...directions.flatMap(each =>
      fees.spread
        ? [
            {
              part: 'fees' as const,
              name: texts.fees.spreadOf(each),
              value: formatFraction(fees.spread[each]),
            },
          ]
        : [],
    ),
    {
      part: 'fees',
      name: texts.fees.refund,
      value: fees.refund ? `${formatAmount(fees.refund)} ${unit}` : texts.none,
    },
    { part: 'limits', name: texts.limits.range, value: range },
    ...tiers.flatMap(tier =>
      (['transaction', 'day', 'month'] as const).map(period => ({
        part: 'limits' as const,
        name: `${texts.limits.tiers[tier]}, ${texts.limits[period].toLowerCase()}`,
        value: limit(limits.tiers[tier][period]),
      })),
    ),
    { part: 'limits', name: texts.limits.approvals, value: limit(approvals.above, workspace.asset.code) },
    {
      part: 'limits',
      name: texts.limits.keysAbove,
      value: limit(approvals.keysAbove ?? '0', workspace.asset.code),
    },
    ...walletOptions.map(option => {
      const { name, yes, no } = texts.wallets.options[option]
      return { part: 'wallets' as const, name, value: isAllowed(settings, option) ? yes : no }
    }),
    ...directions.map(each => {
      const message = each === 'deposit' ? paused.deposits : paused.withdrawals
      const value = message === null ? texts.rails.open : texts.rails.paused(message)
      return { part: 'rails' as const, name: texts.direction[each], value }
    }),
    ...rails.flatMap(rail =>
      directions.map(each => ({
        part: 'rails' as const,
        name: texts.fees.over(rail.name, each),
        value: (each === 'deposit' ? rail.deposits : rail.withdrawals) ? texts.rails.on : texts.rails.off,
      })),
    ),
    { part: 'branding', name: texts.branding.color, value: branding.color ?? texts.branding.colorUnset },
    {
      part: 'branding',
      name: texts.branding.logo,
      value: branding.logo ? texts.branding.logoSet : texts.branding.logoUnset,
    },
    {
      part: 'branding',
      name: texts.branding.support,
      value: branding.supportEmail ?? texts.branding.supportUnset,
    },
  ]
}

/** What differs, as sentences. */
function changesBetween(before: AnchorSettings, after: AnchorSettings, workspace: Workspace): string[] {
  const [then, now] = [factsOf(before, workspace), factsOf(after, workspace)]
  const names = [...new Set([...now, ...then].map(({ name, part }) => `${part} ${name}`))]
  const valueIn = (facts: SettingFact[], key: string) =>
    facts.find(({ name, part }) => `${part} ${name}` === key)?.value ?? texts.none
  const lines = names
    .filter(key => valueIn(now, key) !== valueIn(then, key))
    .map(key => texts.history.changed(key.slice(key.indexOf(' ') + 1), valueIn(then, key), valueIn(now, key)))
  const logo = after.branding.logo !== before.branding.logo && texts.branding.logo
  return logo && !lines.some(line => line.startsWith(logo)) ? [...lines, logo] : lines
}

interface RestoreProps {
  current: AnchorSettings
  restored: AnchorSettings
  onSave(settings: AnchorSettings): Promise<void>
  onClose(): void
}

/** Sets what an earlier version had, as a new version. */
function RestoreForm({ current, restored, onSave, onClose }: RestoreProps) {
  const lines = changesBetween(current, restored, useWorkspace())
  return (
    <SettingsPanel
      title={texts.history.restoreTitle}
      {...{ initial: {}, check: () => ({}), read: () => restored, onSave, onClose }}
    >
      <ul className="space-y-1 text-14 wrap-anywhere">
        {lines.length === 0 && <li>{texts.history.same}</li>}
        {lines.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </SettingsPanel>
  )
}

interface HistoryProps {
  history: readonly SettingsVersion[]
  onRestore: ((version: SettingsVersion) => void) | undefined
}

function History({ history, onRestore }: HistoryProps) {
  const workspace = useWorkspace()
  const nameOf = useMemberName()
  const changesOf = ({ version, settings }: SettingsVersion): string[] => {
    const before = history[history.findIndex(each => each.version === version) + 1]
    return before ? changesBetween(before.settings, settings, workspace) : []
  }
  const restore: Column<SettingsVersion> = {
    head: texts.history.columns.action,
    className: 'text-right',
    cell: version =>
      version.version !== history[0]?.version && (
        <Button
          look="quiet"
          aria-label={texts.history.restoreOf(
            version.at === null ? texts.history.application : formatDateTime(version.at),
          )}
          onClick={() => onRestore?.(version)}
        >
          {texts.history.restore}
        </Button>
      ),
  }
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.history.title} />
      <Table
        caption={texts.history.title}
        rows={history}
        keyOf={({ version }) => String(version)}
        columns={[
          {
            head: texts.history.columns.at,
            className: 'text-soft',
            cell: ({ at }) => (at === null ? texts.history.application : formatDateTime(at)),
          },
          {
            head: texts.history.columns.by,
            named: true,
            className: 'font-medium',
            cell: ({ by }) => (by === null ? '–' : nameOf(by)),
          },
          {
            head: texts.history.columns.what,
            named: true,
            cell: version => {
              const lines = changesOf(version)
              if (lines.length === 0) return version.by === null ? null : texts.history.same
              return (
                <ul className="space-y-1 wrap-anywhere">
                  {lines.map(line => (
                    <li key={line}>{line}</li>
                  ))}
                </ul>
              )
            },
          },
          ...(onRestore ? [restore] : []),
        ]}
      />
    </section>
  )
}
