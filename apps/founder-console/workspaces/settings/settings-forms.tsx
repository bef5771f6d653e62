import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { failedAs } from '@windlass/ui/console/errors.ts'
import {
  type AnchorSettings,
  type Direction,
  directions,
  type Fee,
  type PauseMessage,
  pauseMessageOf,
  pauseMessages,
  tiers,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, type FormValues, useForm, useFormField } from '@windlass/ui/form.tsx'
import type { ReactNode } from 'react'
import { texts } from './texts.ts'
import { unitOfEach } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'

export interface FormProps {
  settings: AnchorSettings
  onSave(settings: AnchorSettings): Promise<void>
  onClose(): void
}

/** A fraction has at most 18, of which a percentage shows two before its sign. */
const PERCENT_DECIMALS = 16

/** `0.005` as `0.5`, exactly. */
function percentOf(fraction: string): string {
  const { numerator, digits } = parseRate(fraction)
  return formatRate(parseRate(formatRate({ numerator: numerator * 100n, digits })))
}

function fractionOf(percent: string): string {
  const { numerator, digits } = parseRate(percent)
  return formatRate(parseRate(formatRate({ numerator, digits: digits + 2 })))
}

/** A panel with a form whose values become settings. */
export function SettingsPanel<V extends FormValues>({
  title,
  initial,
  check,
  read,
  onSave,
  onClose,
  children,
}: {
  title: string
  initial: V
  check(values: V): FormErrors
  read(values: V): Promise<AnchorSettings> | AnchorSettings
  onSave(settings: AnchorSettings): Promise<void>
  onClose(): void
  children: ReactNode
}) {
  const form = useForm({
    initial,
    check,
    send: async values => onSave(await read(values)),
    explain: failedAs(texts.failed),
  })
  return (
    <FormPanel title={title} form={form} send={texts.save} onClose={onClose}>
      {children}
    </FormPanel>
  )
}

function FeeFields({ name, label, optional }: { name: string; label: string; optional?: boolean }) {
  const workspace = useWorkspace()
  const more = optional ? { optional } : {}
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <AmountField
        name={`${name}.fixed`}
        label={`${label}: ${texts.fees.fixed.toLowerCase()}`}
        unit={unitOfEach(workspace)}
        {...more}
      />
      <AmountField
        name={`${name}.percent`}
        label={`${label}: ${texts.fees.percent.toLowerCase()}`}
        unit="%"
        decimals={PERCENT_DECIMALS}
        {...more}
      />
    </div>
  )
}

type Texts = Record<string, string>

const feeIn = (values: Texts, name: string): Fee => ({
  fixed: values[`${name}.fixed`] ?? '',
  percentage: fractionOf(values[`${name}.percent`] ?? ''),
})

const feeValues = (name: string, fee: Fee | undefined): Texts => ({
  [`${name}.fixed`]: fee?.fixed ?? '',
  [`${name}.percent`]: fee ? percentOf(fee.percentage) : '',
})

const MOST_SPREAD_PERCENT = 20
const SPREAD_DECIMALS = 4
const spreadOf = (direction: Direction) => `spread.${direction}`
const spreadIn = (values: Texts, direction: Direction) => fractionOf(values[spreadOf(direction)] || '0')

export function FeesForm({ settings, onSave, onClose }: FormProps) {
  const workspace = useWorkspace()
  const { fees, rails } = settings
  const own = rails.flatMap(({ name }) => directions.map(direction => ({ rail: name, direction })))
  const keyOf = ({ rail, direction }: { rail: string; direction: Direction }) => `${rail}.${direction}`
  const known = (of: (typeof own)[number]) => fees.rails.find(each => keyOf(each) === keyOf(of))
  const initial: Texts = Object.assign(
    {},
    ...directions.map(direction => feeValues(direction, fees[direction])),
    ...own.map(of => feeValues(keyOf(of), known(of))),
    ...directions.map(direction => ({
      [spreadOf(direction)]: fees.spread ? percentOf(fees.spread[direction]) : '',
    })),
    { refund: fees.refund ?? '' },
  )
  const isEmpty = (values: Texts, name: string) =>
    values[`${name}.fixed`] === '' && values[`${name}.percent`] === ''
  const check = (values: Texts) => {
    const errors: FormErrors = {}
    for (const name of [...directions, ...own.map(keyOf).filter(each => !isEmpty(values, each))]) {
      const [fixed, percent] = [`${name}.fixed`, `${name}.percent`]
      Object.assign(errors, amountErrors(values, { [fixed]: {}, [percent]: { decimals: PERCENT_DECIMALS } }))
      for (const each of [fixed, percent]) if (values[each] === '') errors[each] = texts.fees.bothNeeded
      if (!errors[percent] && Number(values[percent]) >= 100) errors[percent] = texts.fees.percentInvalid
    }
    for (const name of directions.map(spreadOf)) {
      Object.assign(errors, amountErrors(values, { [name]: { decimals: SPREAD_DECIMALS, optional: true } }))
      if (!errors[name] && Number(values[name]) > MOST_SPREAD_PERCENT) errors[name] = texts.fees.spreadInvalid
    }
    return { ...errors, ...amountErrors(values, { refund: { optional: true } }) }
  }
  const read = (values: Texts): AnchorSettings => ({
    ...settings,
    fees: {
      ...(values.refund ? { refund: values.refund } : {}),
      deposit: feeIn(values, 'deposit'),
      withdrawal: feeIn(values, 'withdrawal'),
      rails: own
        .filter(of => !isEmpty(values, keyOf(of)))
        .map(of => ({ ...of, ...feeIn(values, keyOf(of)) })),
      ...(directions.some(direction => values[spreadOf(direction)])
        ? { spread: { deposit: spreadIn(values, 'deposit'), withdrawal: spreadIn(values, 'withdrawal') } }
        : {}),
    },
  })
  return (
    <SettingsPanel title={texts.fees.title} {...{ initial, check, read, onSave, onClose }}>
      {directions.map(direction => (
        <FeeFields key={direction} name={direction} label={texts.fees.general(direction)} />
      ))}
      <h3 className="font-semibold">{texts.fees.spread}</h3>
      <p className="text-13 text-soft">{texts.fees.spreadHint}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {directions.map(direction => (
          <AmountField
            key={direction}
            name={spreadOf(direction)}
            label={texts.fees.spreadOf(direction)}
            unit="%"
            decimals={SPREAD_DECIMALS}
            optional
          />
        ))}
      </div>
      <AmountField
        name="refund"
        label={texts.fees.refund}
        hint={texts.fees.refundHint}
        unit={unitOfEach(workspace)}
        optional
      />
      <h3 className="font-semibold">{texts.fees.own}</h3>
      <p className="text-13 text-soft">{texts.fees.ownHint}</p>
      {own.map(of => (
        <FeeFields key={keyOf(of)} name={keyOf(of)} label={texts.fees.over(of.rail, of.direction)} optional />
      ))}
    </SettingsPanel>
  )
}

const periods = ['transaction', 'day', 'month'] as const

export function LimitsForm({ settings, onSave, onClose }: FormProps) {
  const workspace = useWorkspace()
  const { limits } = settings
  const optional = tiers.flatMap(tier => periods.map(period => ({ tier, period, name: `${tier}.${period}` })))
  const initial: Texts = Object.assign(
    {
      ...{ min: limits.min, max: limits.max, approvals: settings.approvals.above ?? '' },
      keysAbove: settings.approvals.keysAbove ?? '',
    },
    ...optional.map(({ tier, period, name }) => ({ [name]: limits.tiers[tier][period] ?? '' })),
  )
  const mayBeEmpty = ['approvals', 'keysAbove', ...optional.map(({ name }) => name)]
  const rules = Object.fromEntries(mayBeEmpty.map(name => [name, { optional: true }]))
  const check = (values: Texts) => amountErrors(values, { min: {}, max: {}, ...rules })
  const read = (values: Texts): AnchorSettings => {
    const tierOf = (tier: (typeof tiers)[number]) => ({
      transaction: values[`${tier}.transaction`] || null,
      day: values[`${tier}.day`] || null,
      month: values[`${tier}.month`] || null,
    })
    const own = { standard: tierOf('standard'), enhanced: tierOf('enhanced') }
    const approvals = {
      above: values.approvals || null,
      ...(values.keysAbove && { keysAbove: values.keysAbove }),
    }
    return {
      ...settings,
      approvals,
      limits: {
        ...{ min: values.min ?? '', max: values.max ?? '', tiers: own },
        ...(limits.nearAmounts === false ? { nearAmounts: false } : {}),
      },
    }
  }
  return (
    <SettingsPanel title={texts.limits.title} {...{ initial, check, read, onSave, onClose }}>
      <AmountField name="min" label={texts.limits.min} unit={unitOfEach(workspace)} />
      <AmountField
        name="max"
        label={texts.limits.max}
        hint={texts.limits.maxHint}
        unit={unitOfEach(workspace)}
      />
      <p className="text-13 text-soft">{texts.limits.optionalHint}</p>
      {optional.map(({ tier, period, name }) => (
        <AmountField
          key={name}
          name={name}
          label={`${texts.limits.tiers[tier]}: ${texts.limits[period].toLowerCase()}`}
          unit={unitOfEach(workspace)}
          optional
        />
      ))}
      <AmountField
        name="approvals"
        label={texts.limits.approvals}
        hint={texts.limits.approvalsHint}
        unit={workspace.asset.code}
        optional
      />
      <AmountField
        name="keysAbove"
        label={texts.limits.keysAbove}
        hint={texts.limits.keysAboveHint}
        unit={workspace.asset.code}
        optional
      />
    </SettingsPanel>
  )
}

const pauseChoices = ['none', ...(Object.keys(pauseMessages) as PauseMessage[]), 'own'] as const
type PauseChoice = (typeof pauseChoices)[number]

function pauseValues<D extends Direction>(direction: D, message: string | null) {
  const standard = message === null ? 'none' : pauseMessageOf(message)
  return {
    [`${direction}Pause`]: standard ?? 'own',
    [`${direction}Message`]: standard ? '' : message,
  } as Record<`${D}Pause`, PauseChoice> & Record<`${D}Message`, string>
}

function pauseIn(choice: PauseChoice, message: string): string | null {
  if (choice === 'none') return null
  return choice === 'own' ? message.trim() : pauseMessages[choice]
}

function PauseFields({ direction }: { direction: Direction }) {
  const { value } = useFormField(`${direction}Pause`)
  return (
    <>
      <SelectField
        name={`${direction}Pause`}
        label={texts.rails.pause[direction]}
        hint={texts.rails.pauseHint}
        choices={pauseChoices.map(each => ({ value: each, label: texts.rails.pauses[each] }))}
        required
      />
      {value === 'own' && (
        <TextField
          name={`${direction}Message`}
          label={texts.rails.message(direction)}
          hint={texts.rails.messageHint}
          maxLength={300}
        />
      )}
    </>
  )
}

export function RailsForm({ settings, onSave, onClose }: FormProps) {
  const { rails, paused } = settings
  const choices = rails.map(({ name }) => ({ value: name, label: name }))
  const initial = {
    deposit: rails.filter(rail => rail.deposits).map(({ name }) => name),
    withdrawal: rails.filter(rail => rail.withdrawals).map(({ name }) => name),
    ...pauseValues('deposit', paused.deposits),
    ...pauseValues('withdrawal', paused.withdrawals),
  }
  const check = (values: typeof initial) => {
    const errors: FormErrors = {}
    for (const direction of directions)
      if (values[`${direction}Pause`] === 'own' && !values[`${direction}Message`].trim())
        errors[`${direction}Message`] = texts.rails.messageMissing
    return errors
  }
  const read = (values: typeof initial): AnchorSettings => ({
    ...settings,
    rails: rails.map(({ name }) => ({
      name,
      deposits: values.deposit.includes(name),
      withdrawals: values.withdrawal.includes(name),
    })),
    paused: {
      deposits: pauseIn(values.depositPause, values.depositMessage),
      withdrawals: pauseIn(values.withdrawalPause, values.withdrawalMessage),
    },
  })
  return (
    <SettingsPanel title={texts.rails.title} {...{ initial, check, read, onSave, onClose }}>
      {directions.map(direction => (
        <div key={direction} className="space-y-4">
          <ChoicesField name={direction} label={texts.rails.choose(direction)} choices={choices} optional />
          <PauseFields direction={direction} />
        </div>
      ))}
    </SettingsPanel>
  )
}
