import type { AnchorSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { SelectField } from '@windlass/ui/choices.tsx'
import { type FormProps, SettingsPanel } from './settings-forms.tsx'
import { texts } from './texts.ts'

export const walletOptions = ['nearAmounts', 'mixedMemos', 'newAccounts', 'unnamedMethods'] as const
type WalletOption = (typeof walletOptions)[number]

/** Whether wallets may do it: yes, as long as nobody refused it. */
export const isAllowed = ({ limits, wallets }: AnchorSettings, option: WalletOption): boolean =>
  (option === 'nearAmounts' ? limits.nearAmounts : wallets?.[option]) !== false

/** What wallets may do, beyond what the SEPs make them do. */
export function WalletsForm({ settings, onSave, onClose }: FormProps) {
  const initial = Object.fromEntries(
    walletOptions.map(option => [option, isAllowed(settings, option) ? 'yes' : 'no']),
  )
  const read = (values: typeof initial): AnchorSettings => {
    const { nearAmounts, ...wallets } = Object.fromEntries(
      walletOptions.map(option => [option, values[option] === 'yes']),
    )
    return { ...settings, limits: { ...settings.limits, nearAmounts }, wallets }
  }
  return (
    <SettingsPanel title={texts.wallets.title} {...{ initial, check: () => ({}), read, onSave, onClose }}>
      {walletOptions.map(option => {
        const { name, hint, yes, no } = texts.wallets.options[option]
        const choices = [
          { value: 'yes', label: yes },
          { value: 'no', label: no },
        ]
        return <SelectField key={option} name={option} label={name} hint={hint} choices={choices} required />
      })}
    </SettingsPanel>
  )
}
