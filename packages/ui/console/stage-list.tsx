import { stages as labels } from './stage-texts.ts'
import { classNames } from '../class-names.ts'
import { formatDuration } from '../format-units.ts'
import { Icon } from '../icons.tsx'
import { stageListTexts } from './stage-list-texts.ts'

interface Stage {
  name: string
  status: 'pending' | 'running' | 'failed' | 'completed'
  startedAt: string | null
  finishedAt: string | null
  attempts: number
  error?: { detail: string } | undefined
}

interface StageListProps {
  stages: readonly Stage[]
  /** When an unfinished stage's duration ends: the current time, or the job's last update. */
  now: number
}

/** The stages of a provisioning job with their durations. */
export function StageList({ stages, now }: StageListProps) {
  return (
    <ol>
      {stages.map((stage, index) => (
        <li key={stage.name} className="relative flex gap-4 pb-6 last:pb-0">
          {index < stages.length - 1 && (
            <span
              aria-hidden="true"
              className={classNames(
                'absolute top-7 bottom-1 left-[11px] w-0.5',
                stage.status === 'completed' ? 'bg-accent' : 'bg-line',
              )}
            />
          )}
          <ChainLink stage={stage} />
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4">
              <h3
                className={classNames(
                  'text-15 font-medium',
                  stage.status === 'pending' && 'text-soft',
                  stage.status === 'failed' && 'text-bad',
                )}
              >
                <span className="sr-only">{index + 1}. </span>
                {labels[stage.name] ?? stage.name}
              </h3>
              <p className="text-13 text-soft tabular">
                <span className={classNames(stage.status === 'pending' && 'sr-only')}>
                  {stageListTexts.status[stage.status]}
                </span>
                {stage.startedAt && ` · ${formatDuration(durationOf(stage, now))}`}
                {stage.attempts > 1 && ` · ${stageListTexts.attempt(stage.attempts)}`}
              </p>
            </div>
            {/* The error of a failed job is above the list; here is that of a stage that waits for its next attempt. */}
            {stage.error && stage.status === 'running' && (
              <p className="mt-1 text-14 text-warn">{stage.error.detail}</p>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

function durationOf(stage: Stage, now: number): number {
  const end = stage.finishedAt ? Date.parse(stage.finishedAt) : now
  return end - Date.parse(stage.startedAt ?? '')
}

const looks: Record<Stage['status'], string> = {
  pending: 'border-2 border-line text-soft',
  running: 'border-[3px] border-accent/30 border-t-accent animate-[spin_1.1s_linear_infinite]',
  failed: 'border-2 border-bad bg-bad-tint text-bad',
  completed: 'border-2 border-accent bg-accent text-on-accent',
}

function ChainLink({ stage }: { stage: Stage }) {
  return (
    <span
      aria-hidden="true"
      className={classNames(
        'flex size-6 shrink-0 items-center justify-center rounded-full',
        looks[stage.status],
      )}
    >
      {stage.status === 'completed' && (
        <Icon name={stage.name === 'completed' ? 'anchor' : 'check'} className="size-3.5" />
      )}
      {stage.status === 'failed' && <Icon name="cross" className="size-3.5" />}
    </span>
  )
}
