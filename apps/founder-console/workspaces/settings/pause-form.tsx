import { type AnchorSettings, pauseMessages } from '@windlass/contracts/anchor/anchor-settings.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { pauseReasons } from '../pause-reasons.ts'
import { SettingsPanel } from './settings-forms.tsx'
import { texts } from './texts.ts'

interface PauseButtonProps {
  settings: AnchorSettings | undefined
  onPause(): void
  onResume(): void
}

/** Pauses the anchor, or leads to what resumes it. */
export function PauseButton({ settings, onPause, onResume }: PauseButtonProps) {
  if (!settings) return null
  const { deposits, withdrawals } = settings.paused
  const isPaused = deposits !== null && withdrawals !== null
  return isPaused ? (
    <Button onClick={onResume}>{texts.pause.resume}</Button>
  ) : (
    <Button look="danger" onClick={onPause}>
      {texts.pause.start}
    </Button>
  )
}

const reasons = Object.keys(pauseMessages) as (keyof typeof pauseMessages)[]

interface PauseFormProps {
  settings: AnchorSettings
  onSave(settings: AnchorSettings): Promise<void>
  onClose(): void
}

/** A pause with a standard message, which needs no confirmation: it is for emergencies. */
export function PauseForm({ settings, onSave, onClose }: PauseFormProps) {
  const initial = { sides: ['deposits', 'withdrawals'] as readonly string[], reason: 'unavailable' as string }
  const read = ({ sides, reason }: typeof initial): AnchorSettings => {
    const message = pauseMessages[reasons.find(known => known === reason) ?? 'unavailable']
    const side = (name: 'deposits' | 'withdrawals') =>
      sides.includes(name) ? message : settings.paused[name]
    return { ...settings, paused: { deposits: side('deposits'), withdrawals: side('withdrawals') } }
  }
  const check = ({ sides }: typeof initial) => (sides.length > 0 ? {} : { sides: texts.pause.missing })
  return (
    <SettingsPanel title={texts.pause.start} {...{ initial, check, read, onSave, onClose }}>
      <ChoicesField
        name="sides"
        label={texts.pause.what}
        choices={(['deposits', 'withdrawals'] as const).map(value => ({
          value,
          label: texts.direction[value === 'deposits' ? 'deposit' : 'withdrawal'],
        }))}
      />
      <SelectField
        name="reason"
        label={texts.pause.reason}
        hint={texts.pause.reasonHint}
        choices={reasons.map(value => ({ value, label: pauseReasons[value] }))}
        required
      />
    </SettingsPanel>
  )
}
