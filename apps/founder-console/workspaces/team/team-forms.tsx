import { codeOf, refusedAs } from '@windlass/ui/console/errors.ts'
import { addMember, changeMember, type Member, removeMember } from '@windlass/contracts/platform/members.ts'
import { memberRoles } from '@windlass/contracts/realm.ts'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { operator } from '../../session.ts'
import { team as texts } from './texts.ts'
import { workspace } from '../texts.ts'

type Role = Member['role']

interface TeamFormProps {
  organizationId: string
  /** Only owners add owners. */
  canAddOwners: boolean
  onDone(): void
  onClose(): void
}

type OneMemberProps = TeamFormProps & { member: Member }

const explain = (error: unknown) =>
  codeOf(error) === 'already-a-member'
    ? { errors: { email: texts.email.known } }
    : refusedAs(texts.failed)(error)

const roleOf = (text: string): Role => memberRoles.find(role => role === text) ?? 'member'

/** Each may what the member may, and more. */
const SHOWN = Object.keys({
  member: true,
  support: true,
  finance: true,
  compliance: true,
  auditor: true,
  admin: true,
  owner: true,
} satisfies Record<Role, true>).map(roleOf)

function RoleField({ canAddOwners }: { canAddOwners: boolean }) {
  const roles = SHOWN.filter(role => canAddOwners || role !== 'owner')
  return (
    <ChoicesField
      single
      name="role"
      label={texts.role.label}
      choices={roles.map(value => ({
        value,
        label: workspace.list.roles[value],
        hint: texts.role.hints[value],
      }))}
    />
  )
}

export function AddMember({ organizationId, canAddOwners, onDone, onClose }: TeamFormProps) {
  const form = useForm({
    initial: { email: '', fullName: '', role: 'member' },
    check: ({ email }): FormErrors => (/^\S+@\S+$/.test(email) ? {} : { email: texts.email.missing }),
    explain,
    send: async ({ email, fullName, role }) => {
      const name = fullName.trim()
      const body = { email, role: roleOf(role), ...(name ? { fullName: name } : {}) }
      await operator.call(addMember, { params: { organizationId }, body })
      onDone()
    },
  })
  return (
    <FormPanel title={texts.add} form={form} send={texts.add} onClose={onClose}>
      <TextField
        name="email"
        type="email"
        label={texts.email.label}
        hint={texts.email.hint}
        autoComplete="off"
        clean={text => text.trim()}
      />
      <TextField name="fullName" label={texts.name} optional autoComplete="off" maxLength={200} />
      <RoleField canAddOwners={canAddOwners} />
    </FormPanel>
  )
}

export function ChangeMember({ organizationId, canAddOwners, member, onDone, onClose }: OneMemberProps) {
  const form = useForm({
    initial: { role: member.role as string },
    check: () => ({}),
    explain,
    send: async ({ role }) => {
      const params = { organizationId, userId: member.userId }
      await operator.call(changeMember, { params, body: { role: roleOf(role) } })
      onDone()
    },
  })
  return (
    <FormPanel title={texts.changeTitle(member.fullName)} form={form} send={texts.change} onClose={onClose}>
      <RoleField canAddOwners={canAddOwners} />
    </FormPanel>
  )
}

export function RemoveMember(props: OneMemberProps & { leaving: boolean }) {
  const { organizationId, member, leaving, onDone, onClose } = props
  return (
    <ConfirmPanel
      title={leaving ? texts.leaveTitle : texts.removeTitle(member.fullName)}
      lead={leaving ? texts.leaveLead : texts.removeLead}
      send={leaving ? texts.leave : texts.remove}
      look="danger"
      act={async () => {
        await operator.call(removeMember, { params: { organizationId, userId: member.userId } })
        onDone()
      }}
      explain={explain}
      onClose={onClose}
    />
  )
}
