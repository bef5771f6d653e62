import { failedAs } from '@windlass/ui/console/errors.ts'
import type { Signing, SigningLimits } from '@windlass/contracts/internal/signer.ts'
import { getWorkspaceSigning, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ShareBar } from '@windlass/ui/charts.tsx'
import { useNow } from '@windlass/ui/data-screen.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatAgo } from '@windlass/ui/format-units.ts'
import { formatAmount } from '@windlass/ui/formats.ts'
import { Fact, Facts, Panel } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { queries } from '../../queries.ts'
import { operator } from '../../session.ts'
import { assetsOf, unitName, unitOfEach } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'
import { signing as texts } from './texts.ts'

const signingQuery = (anchorId: string) =>
  operator.query(getWorkspaceSigning, { params: { anchorId } }, { refetchInterval: 30_000 })

/** What the anchor's servers may have signed, and what the signer stopped. */
export function SigningPanel({ anchorId }: { anchorId: string }) {
  const workspace = useWorkspace()
  const [{ name: assetCode }] = assetsOf(workspace)
  const [editing, setEditing] = useState(false)
  const now = useNow(15_000)
  const { data } = useQuery(signingQuery(anchorId))
  if (!data) return null
  const { limits, lastHour, further = [], stopped } = data
  const amount = (text: string) => `${formatAmount(text)} ${assetCode}`
  return (
    <Panel className="space-y-3 px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-semibold">{texts.title}</h2>
          <p className="text-14 text-soft">{texts.lead}</p>
        </div>
        <Button onClick={() => setEditing(true)}>{texts.change}</Button>
      </div>
      <Facts>
        <Fact name={texts.perHour.label}>
          {texts.used(amount(lastHour), amount(limits.perHour))}
          <ShareBar values={[Number(lastHour)]} whole={Number(limits.perHour)} />
        </Fact>
        {further.map(each => {
          const unit = unitName(workspace, each.asset)
          const limit = limits.further?.find(({ asset }) => asset === each.asset)?.perHour ?? '0'
          return (
            <Fact key={each.asset} name={texts.perHour.label}>
              {texts.used(`${formatAmount(each.lastHour)} ${unit}`, `${formatAmount(limit)} ${unit}`)}
              <ShareBar values={[Number(each.lastHour)]} whole={Number(limit)} />
            </Fact>
          )
        })}
        <Fact name={texts.perPayment.label}>
          {limits.perPayment ? `${formatAmount(limits.perPayment)} ${unitOfEach(workspace)}` : texts.none}
        </Fact>
        <Fact name={texts.xlmPerHour.label}>{`${formatAmount(limits.xlmPerHour)} XLM`}</Fact>
        <Fact name={texts.destinations.label}>{limits.destinations?.join(', ') ?? texts.any}</Fact>
      </Facts>
      <h3 className="text-14 font-semibold">{texts.stopped}</h3>
      {stopped.length === 0 && <p className="text-14 text-soft">{texts.nothingStopped}</p>}
      <ul aria-label={texts.stopped} className="divide-y divide-line">
        {stopped.map(each => (
          <li key={`${each.server} ${each.reason} ${each.firstAt}`} className="py-2 text-14 wrap-anywhere">
            {each.detail}{' '}
            <span className="text-soft">
              {texts.requests(
                each.count,
                texts.servers[each.server],
                formatAgo(Date.parse(each.lastAt), now),
              )}
            </span>
          </li>
        ))}
      </ul>
      {editing && (
        <LimitsForm
          anchorId={anchorId}
          limits={limits}
          assetCode={assetCode}
          onClose={() => setEditing(false)}
        />
      )}
    </Panel>
  )
}

interface LimitsFormProps {
  anchorId: string
  assetCode: string
  limits: SigningLimits
  onClose(): void
}

const ADDRESS = /^[GC][A-Z2-7]{55}$/
const addressesIn = (text: string) => text.split(/[\s,]+/).filter(Boolean)

const fieldOf = (asset: string): string => `further.${asset}`

function LimitsForm({ anchorId, assetCode, limits, onClose }: LimitsFormProps) {
  const workspace = useWorkspace()
  const { further = [] } = limits
  const form = useForm<Record<string, string>>({
    initial: {
      ...Object.fromEntries(further.map(({ asset, perHour }) => [fieldOf(asset), perHour])),
      perHour: limits.perHour,
      perPayment: limits.perPayment ?? '',
      xlmPerHour: limits.xlmPerHour,
      destinations: limits.destinations?.join('\n') ?? '',
    },
    check: ({ perHour = '', perPayment = '', xlmPerHour = '', destinations = '', ...others }) => {
      const errors: FormErrors = amountErrors(
        { ...others, perHour, perPayment, xlmPerHour },
        {
          ...Object.fromEntries(Object.keys(others).map(name => [name, {}])),
          ...{ perHour: {}, perPayment: { optional: true }, xlmPerHour: {} },
        },
      )
      if (!addressesIn(destinations).every(each => ADDRESS.test(each))) {
        errors.destinations = texts.destinations.invalid
      }
      return errors
    },
    send: async ({ perHour = '', perPayment = '', xlmPerHour = '', destinations = '', ...others }) => {
      const addresses = addressesIn(destinations)
      const body: SigningLimits = {
        ...{ perHour, xlmPerHour },
        ...(further.length > 0
          ? { further: further.map(({ asset }) => ({ asset, perHour: others[fieldOf(asset)] ?? '0' })) }
          : {}),
        perPayment: perPayment || null,
        destinations: addresses.length > 0 ? addresses : null,
      }
      const params = { anchorId }
      const signing: Signing = await operator.call(setWorkspaceSigningLimits, { params, body })
      queries.setQueryData(signingQuery(anchorId).queryKey, signing)
      onClose()
    },
    explain: failedAs(texts.failed),
  })
  return (
    <FormPanel title={texts.change} form={form} send={texts.save} onClose={onClose}>
      <AmountField name="perHour" {...texts.perHour} unit={assetCode} />
      {further.map(({ asset }) => (
        <AmountField
          key={asset}
          name={fieldOf(asset)}
          label={`${texts.perHour.label}: ${unitName(workspace, asset)}`}
          unit={unitName(workspace, asset)}
        />
      ))}
      <AmountField name="perPayment" {...texts.perPayment} unit={unitOfEach(workspace)} optional />
      <AmountField name="xlmPerHour" {...texts.xlmPerHour} unit="XLM" />
      <TextAreaField
        name="destinations"
        label={texts.destinations.label}
        hint={texts.destinations.hint}
        optional
      />
    </FormPanel>
  )
}
