import type { Job, Stage } from '@windlass/contracts/provisioning.ts'
import { classNames } from '@windlass/ui/class-names.ts'
import { formatDuration } from '@windlass/ui/formats.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { provisioning as texts } from '../texts/provisioning.ts'

/** The seven stages as links of the chain that the anchor hangs on. */
export function StageList({ job, now }: { job: Job; now: number }) {
  return (
    <ol>
      {job.stages.map((stage, index) => (
        <li key={stage.name} className="relative flex gap-4 pb-6 last:pb-0">
          {index < job.stages.length - 1 && (
            <span
              aria-hidden="true"
              className={classNames(
                'absolute top-8 bottom-0 left-[11px] w-0.5',
                stage.status === 'completed' ? 'bg-accent' : 'bg-line',
              )}
            />
          )}
          <Link stage={stage} />
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
                {stage.name === 'completed' ? texts.completedStage : stage.name}
              </h3>
              <p className="text-13 text-soft tabular">
                <span className={classNames(stage.status === 'pending' && 'sr-only')}>
                  {texts.stageStatus[stage.status]}
                </span>
                {stage.startedAt && ` · ${formatDuration(durationOf(stage, now))}`}
                {stage.attempts > 1 && ` · ${texts.attempts(stage.attempts)}`}
              </p>
            </div>
            {stage.error && stage.status !== 'completed' && (
              <p className="mt-1 text-14 text-bad">{stage.error.detail}</p>
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

function Link({ stage }: { stage: Stage }) {
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
