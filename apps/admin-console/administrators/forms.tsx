import {
  type Administrator,
  changeAdministrator,
  inviteAdministrator,
  removeAdministrator,
  resetAdministratorSecondFactors,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import { adminRoles, type AdminRole } from '@windlass/contracts/realm.ts'
import { codeOf, refusedAs } from '@windlass/ui/console/errors.ts'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { call } from '../api.ts'
import { administrators as texts, roles } from './texts.ts'

interface PanelProps {
  onDone(): void
  onClose(): void
}
type OneProps = PanelProps & { who: Administrator }

const explain = (error: unknown) =>
  codeOf(error) === 'already-an-administrator'
    ? { errors: { email: texts.email.known } }
    : refusedAs(texts.failed)(error)

const roleOf = (text: string): AdminRole => adminRoles.find(role => role === text) ?? 'viewer'
const nameOf = ({ name, username }: Administrator) => name ?? username

function RoleField() {
  const choices = adminRoles.map(value => ({ value, label: roles[value], hint: texts.role.hints[value] }))
  return <ChoicesField single name="role" label={texts.role.label} choices={choices} />
}

export function Invite({ onInvited, onDone, onClose }: PanelProps & { onInvited(email: string): void }) {
  const form = useForm({
    initial: { email: '', role: 'viewer' },
    check: ({ email }): FormErrors => (/^\S+@\S+$/.test(email) ? {} : { email: texts.email.missing }),
    explain,
    send: async ({ email, role }) => {
      await call(inviteAdministrator, { body: { email, role: roleOf(role) } })
      onInvited(email)
      onDone()
    },
  })
  return (
    <FormPanel title={texts.invite} form={form} send={texts.invite} onClose={onClose}>
      <TextField
        name="email"
        type="email"
        label={texts.email.label}
        hint={texts.email.hint}
        autoComplete="off"
        maxLength={254}
        clean={text => text.trim()}
      />
      <RoleField />
    </FormPanel>
  )
}

export function ChangeRole({ who, onDone, onClose }: OneProps) {
  const form = useForm({
    initial: { role: who.role as string },
    check: () => ({}),
    explain,
    send: async ({ role }) => {
      await call(changeAdministrator, { params: { id: who.id }, body: { role: roleOf(role) } })
      onDone()
    },
  })
  return (
    <FormPanel
      title={texts.changeOf(nameOf(who))}
      form={form}
      send={texts.change}
      lead={texts.changeLead}
      onClose={onClose}
    >
      <RoleField />
    </FormPanel>
  )
}

export function ResetSecondFactor({ who, onDone, onClose }: OneProps) {
  return (
    <ConfirmPanel
      title={texts.resetOf(nameOf(who))}
      lead={texts.resetLead}
      send={texts.reset}
      look="danger"
      reason={texts.reason}
      act={async reason => {
        await call(resetAdministratorSecondFactors, { params: { id: who.id }, body: { reason } })
        onDone()
      }}
      explain={explain}
      onClose={onClose}
    />
  )
}

export function RemoveAdministrator({ who, onDone, onClose }: OneProps) {
  return (
    <ConfirmPanel
      title={texts.removeOf(nameOf(who))}
      lead={texts.removeLead}
      send={texts.remove}
      look="danger"
      act={async () => {
        await call(removeAdministrator, { params: { id: who.id } })
        onDone()
      }}
      explain={explain}
      onClose={onClose}
    />
  )
}
