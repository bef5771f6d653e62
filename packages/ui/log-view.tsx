import { useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'
import { controlLook } from './field.tsx'
import { formatTime } from './formats.ts'
import { logTexts } from './log-texts.ts'

interface LogViewLine {
  id: number
  /** ISO 8601. */
  at: string
  level: 'info' | 'warn' | 'error'
  text: string
}

const levelLook = { info: '', warn: 'text-warn', error: 'text-bad' }

/** The log of a job. Follows the end until paused; can be filtered and copied. */
export function LogView({ lines }: { lines: readonly LogViewLine[] }) {
  const [filter, setFilter] = useState('')
  const [following, setFollowing] = useState(true)
  const box = useRef<HTMLDivElement>(null)
  const search = filter.trim().toLowerCase()
  const matching = search ? lines.filter(line => line.text.toLowerCase().includes(search)) : lines
  useEffect(() => {
    if (following && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [following, matching.length])
  return (
    <div className="overflow-hidden rounded-8 border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5 sm:px-5">
        <h2 className="mr-auto font-semibold">
          {logTexts.title}{' '}
          <span className="text-13 font-normal text-soft">{logTexts.lines(matching.length)}</span>
        </h2>
        <div className="w-52 max-sm:w-full">
          <input
            type="search"
            value={filter}
            onChange={event => setFilter(event.target.value)}
            aria-label={logTexts.filter}
            placeholder={logTexts.filter}
            className={classNames(controlLook, 'border-control')}
          />
        </div>
        <Button aria-pressed={!following} onClick={() => setFollowing(!following)}>
          {following ? logTexts.pause : logTexts.follow}
        </Button>
        <CopyButton what={logTexts.copy} value={matching.map(line => `${line.at} ${line.text}`).join('\n')} />
      </div>
      <div
        ref={box}
        role="log"
        aria-label={logTexts.title}
        tabIndex={0}
        className="max-h-80 min-h-24 overflow-y-auto bg-sunken px-4 py-3 font-mono text-13 sm:px-5"
      >
        {matching.length === 0 && (
          <p className="font-sans text-14 text-soft">
            {lines.length === 0 ? logTexts.empty : logTexts.noMatch}
          </p>
        )}
        {matching.map(line => (
          <p key={line.id} className="flex gap-3 max-sm:block">
            <time dateTime={line.at} className="shrink-0 text-soft tabular">
              {formatTime(line.at)}
            </time>{' '}
            <span className={classNames('min-w-0 wrap-anywhere', levelLook[line.level])}>{line.text}</span>
          </p>
        ))}
      </div>
    </div>
  )
}
