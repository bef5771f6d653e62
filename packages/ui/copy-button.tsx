import { useEffect, useState } from 'react'
import { buttonLook } from './button.tsx'
import { classNames } from './class-names.ts'
import { Icon } from './icons.tsx'
import { shorten } from './formats.ts'
import { texts } from './texts.ts'

type Outcome = 'copied' | 'failed' | undefined

function useCopy(value: string): [Outcome, () => void] {
  const [outcome, setOutcome] = useState<Outcome>()
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), 2500)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value)
      setOutcome('copied')
    } catch {
      setOutcome('failed')
    }
  }
  return [outcome, () => void copy()]
}

const outcomeText = (outcome: Outcome) =>
  outcome === 'copied' ? texts.copied : outcome === 'failed' ? texts.copyFailed : ''

/** A button that copies a long value. */
export function CopyButton({ value, what, className }: { value: string; what: string; className?: string }) {
  const [outcome, copy] = useCopy(value)
  return (
    <>
      <button type="button" onClick={copy} className={buttonLook('secondary', className)}>
        <Icon
          name={outcome === 'copied' ? 'check' : 'copy'}
          className={outcome === 'copied' ? 'text-good' : ''}
        />
        {outcome === 'copied' ? texts.copied : texts.copy(what)}
      </button>
      <span role="status" className={outcome === 'failed' ? 'text-13 text-bad' : 'sr-only'}>
        {outcomeText(outcome)}
      </span>
    </>
  )
}

/** An ID or address, shortened in the middle, with a copy button. `full`: not shortened. */
export function Identifier({ value, what, full }: { value: string; what: string; full?: boolean }) {
  const [outcome, copy] = useCopy(value)
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-middle">
      <code className={classNames('font-mono text-13 tabular', full && 'break-all')} title={value}>
        {full ? value : shorten(value)}
      </code>
      <button
        type="button"
        onClick={copy}
        aria-label={texts.copy(what)}
        title={texts.copy(what)}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-6 text-soft hover:bg-hover hover:text-ink max-sm:size-8"
      >
        <Icon
          name={outcome === 'copied' ? 'check' : 'copy'}
          className={outcome === 'copied' ? 'text-good' : ''}
        />
      </button>
      <span role="status" className="sr-only">
        {outcomeText(outcome)}
      </span>
    </span>
  )
}
