import { classNames } from '@windlass/ui/class-names.ts'
import { formatDateTime, formatTime } from '@windlass/ui/formats.ts'
import { Icon, type IconName } from '@windlass/ui/icons.tsx'
import { isHydrating, takeTyped } from '@windlass/ui/hydration.ts'
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { NavLink, Outlet, useLocation, useNavigate, useNavigationType, useOutletContext } from 'react-router'
import { type ApplyStep, applySteps, paths } from '../paths.ts'
import { apply as texts } from './texts.ts'
import { type Answers, fieldsOf, noAnswers, errorsIn } from './answers.ts'
import { deleteDraft, followDraft, lastSent, readDraft, saveDraft } from './draft.ts'

interface Application {
  answers: Answers
  keep(answers: Answers): void
  /** Deletes the answers, on the page and on the device. */
  discard(): void
}

/** The answers so far. They survive a change of step; all except the credentials survive a reload. */
export const useApplication = () => useOutletContext<Application>()

export function Component() {
  const [draft] = useState(readDraft)
  // The page was built without answers: the draft and what was typed before hydration follow once it is hydrated.
  const [hydrating, setHydrating] = useState(isHydrating)
  const [filled, setFilled] = useState(false)
  const [typed] = useState(() => takeTyped(Object.keys(noAnswers)))
  const [answers, setAnswers] = useState((!hydrating && draft?.answers) || noAnswers)
  const [savedAt, setSavedAt] = useState<string>()
  const [generation, setGeneration] = useState(0)
  const [keepsDrafts, setKeepsDrafts] = useState(true)
  const here = useLocation().pathname

  const application: Application = {
    answers,
    keep(next) {
      setAnswers(next)
      const at = saveDraft(next)
      setSavedAt(at)
      setKeepsDrafts(at !== undefined)
    },
    discard() {
      deleteDraft()
      setAnswers(noAnswers)
      setSavedAt(undefined)
      setGeneration(generation + 1)
    },
  }
  useLayoutEffect(() => {
    if (!hydrating) return
    setHydrating(false)
    const known = { ...(draft?.answers ?? noAnswers), ...typed }
    if (Object.keys(typed).length > 0) application.keep(known)
    else setAnswers(known)
    if (draft || Object.keys(typed).length > 0) setFilled(true)
  }, [])
  const navigate = useNavigate()
  const arrival = useNavigationType()
  useEffect(() => {
    // Back from the application that was sent: its steps are empty.
    const sent = arrival === 'POP' && !draft && lastSent()
    if (sent) void navigate(paths.submitted(sent), { replace: true })
  }, [])
  const accept = useEffectEvent((kept: Partial<Answers>) => {
    setAnswers({ ...answers, ...kept } as Answers)
    setGeneration(generation + 1)
  })
  useEffect(() => followDraft(accept), [])
  const restored = generation === 0 && !hydrating ? draft?.savedAt : undefined
  return (
    <div className="mx-auto grid w-full max-w-[1120px] flex-1 gap-x-12 gap-y-6 px-4 py-6 sm:px-6 sm:py-10 lg:grid-cols-[232px_minmax(0,1fr)]">
      <aside className="lg:sticky lg:top-10 lg:self-start">
        <h2 className="text-13 font-medium text-soft max-lg:sr-only">{texts.tasks}</h2>
        <nav aria-label={texts.tasks} className="lg:mt-2 lg:-ml-3">
          <ol className="flex flex-wrap gap-1 lg:flex-col">
            {applySteps.map((step, index) => (
              <Task key={step} step={step} position={index + 1} answers={answers} />
            ))}
          </ol>
        </nav>
        <div className="mt-4 space-y-1 border-t border-line pt-3 text-13 text-soft">
          <p role="status">
            {!keepsDrafts
              ? texts.draftNotKept
              : savedAt
                ? texts.draftSaved(formatTime(savedAt))
                : restored && texts.draftRestored(formatDateTime(restored))}
          </p>
          {(savedAt ?? restored) && (
            <button type="button" className="link" onClick={application.discard}>
              {texts.discard}
            </button>
          )}
        </div>
      </aside>
      <div className="min-w-0 max-w-[680px]" key={`${generation}-${filled}-${here}`}>
        <Outlet context={application} />
      </div>
    </div>
  )
}

function Task({ step, position, answers }: { step: ApplyStep; position: number; answers: Answers }) {
  const state = stateOf(step, answers)
  // The first step is at `/apply` too.
  const here = useLocation().pathname
  const isFirst = step === 'company' && here === paths.apply()
  return (
    <li>
      <NavLink
        to={isFirst ? here : paths.apply(step)}
        className={({ isActive }) =>
          classNames(
            'control flex items-center gap-2.5 rounded-8 px-3 py-1.5 text-14 max-lg:border',
            isActive
              ? 'bg-accent-tint font-semibold text-accent max-lg:border-accent'
              : 'text-soft hover:bg-hover hover:text-ink max-lg:border-line',
          )
        }
      >
        <span className="w-4 text-13 tabular max-lg:hidden" aria-hidden="true">
          {position}
        </span>
        <span className="flex-1">{texts.steps[step].title}</span>
        {state && (
          <>
            <Icon
              name={stateIcons[state]}
              className={classNames(
                'size-4',
                state === 'done' && 'text-good',
                state === 'error' && 'text-bad',
              )}
            />
            <span className="sr-only">{texts.taskStates[state]}</span>
          </>
        )}
      </NavLink>
    </li>
  )
}

type TaskState = keyof typeof texts.taskStates

const stateIcons: Record<TaskState, IconName> = {
  done: 'check',
  open: 'ring',
  needed: 'ring',
  error: 'alert',
}

function stateOf(step: ApplyStep, answers: Answers): TaskState | undefined {
  if (step === 'check') return undefined
  const fields = fieldsOf(step, answers)
  const wrong = errorsIn(answers)
  const touched = fields.some(name => String(answers[name]) !== String(noAnswers[name]))
  if (fields.some(name => wrong[name])) return touched ? 'error' : 'needed'
  return touched ? 'done' : 'open'
}
