import { weakeningReasons } from '@windlass/contracts/anchor/weakening.ts'
import { SelectField } from '@windlass/ui/choices.tsx'
import { texts } from './weakening-texts.ts'

/** Why a change finds less than before: it is asked for only then, and a second person approves the change under Anchor. */
export function WeakeningField() {
  const choices = weakeningReasons.map(value => ({ value, label: texts.reasons[value] }))
  return (
    <SelectField name="reason" {...texts} choices={[{ value: '', label: texts.none }, ...choices]} optional />
  )
}

/** As it is sent. */
export function weakeningOf(text: string): { reason?: (typeof weakeningReasons)[number] } {
  const reason = weakeningReasons.find(each => each === text)
  return reason ? { reason } : {}
}
