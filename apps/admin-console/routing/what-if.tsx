import { scores, type Candidate } from '@windlass/contracts/routing.ts'
import { controlBorder, controlLook, Labelled } from '@windlass/ui/field.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { useId } from 'react'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { isWhole, millionths, type TypedWeights } from '../policy/weights.ts'
import { routing } from '../texts/routing.ts'

const texts = routing.whatIf

interface WhatIfProps {
  typed: TypedWeights
  onType(weights: TypedWeights): void
  /** Under the typed weights; absent while they are the decision's own or no weights at all. */
  winner: Candidate | undefined
  /** The anchor that the decision chose. */
  chosen: string
}

/** Other weights, tried on the candidates as they are typed. */
export function WhatIf({ typed, onType, winner, chosen }: WhatIfProps) {
  const id = useId()
  const answer = !isWhole(typed)
    ? texts.sumWrong
    : winner && (winner.anchorId === chosen ? texts.same : texts.wins(winner.slug))
  return (
    <Panel className="space-y-4 p-4 sm:p-5">
      <div>
        <h2 className="font-semibold">{texts.title}</h2>
        <p className="text-14 text-soft">{texts.lead}</p>
      </div>
      <div className="grid grid-cols-2 gap-4">
        {scores.map(({ name, label }) => (
          <Labelled key={name} id={id + name} label={label}>
            <input
              id={id + name}
              inputMode="decimal"
              autoComplete="off"
              value={typed[name]}
              onChange={event => onType({ ...typed, [name]: event.target.value.replace(',', '.').trim() })}
              className={`${controlLook} tabular ${controlBorder(millionths(typed[name]) === undefined ? 'wrong' : undefined)}`}
            />
          </Labelled>
        ))}
      </div>
      <p role="status" className="min-h-5 text-14 font-medium">
        {answer}
      </p>
      <Link to={paths.policy()} className="link text-14">
        {texts.policy}
      </Link>
    </Panel>
  )
}
