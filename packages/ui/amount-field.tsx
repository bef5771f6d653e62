import { LEDGER_DECIMALS } from '@windlass/money/number-text.ts'
import { useState, type ComponentProps, type ReactNode } from 'react'
import { amountError, amountValueOf, typedOf } from './amount-value.ts'
import { classNames } from './class-names.ts'
import { controlBorder, controlLook, describedBy, Labelled } from './field.tsx'
import { useFormField } from './form.tsx'
import { formatAmount, formatMoney } from './formats.ts'
import { texts } from './texts.ts'

interface AmountInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> {
  /** See amount-value.ts. */
  value: string
  onValue(value: string): void
  decimals?: number
}

/** The only input into which a number is typed: it keeps what the reader's language makes of it. */
export function AmountInput({
  value,
  onValue,
  decimals = LEDGER_DECIMALS,
  className,
  ...rest
}: AmountInputProps) {
  const [typed, setTyped] = useState({ text: typedOf(value), value })
  // The form may have set another value since.
  const text = typed.value === value ? typed.text : typedOf(value)
  return (
    <input
      autoComplete="off"
      {...rest}
      type="text"
      inputMode={decimals === 0 ? 'numeric' : 'decimal'}
      data-decimals={decimals}
      value={text}
      onChange={event => {
        const next = { text: event.target.value, value: amountValueOf(event.target.value, decimals) }
        setTyped(next)
        onValue(next.value)
      }}
      className={classNames('tabular', className)}
    />
  )
}

interface AmountFieldProps {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  /** A currency, an asset or `%`; it is shown behind the input. */
  unit?: ReactNode
  /** How many decimals the unit has; by default those of the ledger. */
  decimals?: number
  /** Below the input: live feedback on the value. */
  children?: ReactNode
}

/** A labelled amount. What it understood, or why it did not, is below it while it is typed. */
export function AmountField({ name, label, hint, optional, unit, decimals, children }: AmountFieldProps) {
  const { id, value, error, set } = useFormField(name)
  const amount = String(value)
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional={optional ?? false}>
      <WithUnit unit={unit}>
        <AmountInput
          id={id}
          name={name}
          value={amount}
          onValue={set}
          {...(decimals === undefined ? {} : { decimals })}
          aria-invalid={error ? true : undefined}
          aria-required={optional ? undefined : true}
          aria-describedby={describedBy(id, hint, error, `${id}-live`)}
          className={classNames(controlLook, controlBorder(error), Boolean(unit) && 'rounded-r-none')}
        />
      </WithUnit>
      <div id={`${id}-live`} className="text-13 tabular">
        <Understood value={amount} unit={unit} decimals={decimals} hasError={Boolean(error)} />
        {children}
      </div>
    </Labelled>
  )
}

function WithUnit({ unit, children }: { unit: ReactNode; children: ReactNode }) {
  if (!unit) return children
  return (
    <div className="flex">
      {children}
      <span className="flex items-center rounded-r-8 border border-l-0 border-control bg-sunken px-3 text-14 text-soft">
        {unit}
      </span>
    </div>
  )
}

interface UnderstoodProps {
  value: string
  unit: ReactNode
  decimals: number | undefined
  hasError: boolean
}

function Understood({ value, unit, decimals, hasError }: UnderstoodProps) {
  const fault = amountError(value, { optional: true, ...(decimals === undefined ? {} : { decimals }) })
  // Once the form was sent, the error above the input says it.
  if (fault) return hasError ? null : <p className="text-bad">{fault}</p>
  // A count of a few digits can be read in one way.
  if (value === '' || (decimals === 0 && value.length < 4)) return null
  return <p className="text-soft">{texts.amount.understood(amountText(value, unit))}</p>
}

function amountText(value: string, unit: ReactNode): string {
  if (typeof unit !== 'string') return formatAmount(value)
  return unit === '%' ? `${formatAmount(value)} %` : formatMoney(value, unit)
}
