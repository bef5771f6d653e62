import { codeOf, fieldErrorsOf, troubleOf } from '@windlass/client/trouble.ts'
import { addMember, changeMember, removeMember, type Member } from '@windlass/contracts/members.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm, type FormErrors } from '@windlass/ui/form.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { operator } from '../operator.ts'
import { workspace } from '../texts/workspace.ts'
import { FormActs } from './form-acts.tsx'

const texts = workspace.team
type Role = Member['role']

interface TeamFormProps {
  organizationId: string
  /** Only owners make owners. */
  mayMakeOwners: boolean
  onDone(): void
  onClose(): void
}

type OneMemberProps = TeamFormProps & { member: Member }

const explain = (error: unknown): { errors?: FormErrors; trouble?: ReturnType<typeof troubleOf> } => {
  if (codeOf(error) === 'already-a-member') return { errors: { email: texts.email.known } }
  const errors = fieldErrorsOf(error)
  if (Object.keys(errors).length > 0) return { errors }
  return { trouble: { ...troubleOf(error), title: texts.failed } }
}

const roleOf = (text: string): Role => (text === 'owner' || text === 'admin' ? text : 'member')

function RoleField({ mayMakeOwners }: { mayMakeOwners: boolean }) {
  const roles: Role[] = mayMakeOwners ? ['member', 'admin', 'owner'] : ['member', 'admin']
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

export function AddMember({ organizationId, mayMakeOwners, onDone, onClose }: TeamFormProps) {
  const form = useForm({
    initial: { email: '', fullName: '', role: 'member' },
    check: ({ email }): FormErrors => (/^\S+@\S+$/.test(email) ? {} : { email: texts.email.missing }),
    send: async ({ email, fullName, role }) => {
      const name = fullName.trim()
      const body = { email, role: roleOf(role), ...(name ? { fullName: name } : {}) }
      await operator.call(addMember, { params: { organizationId }, body })
      onDone()
    },
    explain,
  })
  return (
    <SidePanel open onClose={onClose} title={texts.add}>
      <FormShell form={form}>
        <TextField
          name="email"
          type="email"
          label={texts.email.label}
          hint={texts.email.hint}
          autoComplete="off"
          clean={text => text.trim()}
        />
        <TextField name="fullName" label={texts.name} optional autoComplete="off" maxLength={200} />
        <RoleField mayMakeOwners={mayMakeOwners} />
        <FormActs onClose={onClose}>
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.add}
          </Button>
        </FormActs>
      </FormShell>
    </SidePanel>
  )
}

export function ChangeMember({ organizationId, mayMakeOwners, member, onDone, onClose }: OneMemberProps) {
  const form = useForm({
    initial: { role: member.role as string },
    check: () => ({}),
    send: async ({ role }) => {
      const params = { organizationId, userId: member.userId }
      await operator.call(changeMember, { params, body: { role: roleOf(role) } })
      onDone()
    },
    explain,
  })
  return (
    <SidePanel open onClose={onClose} title={texts.changeTitle(member.fullName)}>
      <FormShell form={form}>
        <RoleField mayMakeOwners={mayMakeOwners} />
        <FormActs onClose={onClose}>
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.confirmChange}
          </Button>
        </FormActs>
      </FormShell>
    </SidePanel>
  )
}

export function RemoveMember(props: OneMemberProps & { leaving: boolean }) {
  const { organizationId, member, leaving, onDone, onClose } = props
  const form = useForm({
    initial: {},
    check: () => ({}),
    send: async () => {
      await operator.call(removeMember, { params: { organizationId, userId: member.userId } })
      onDone()
    },
    explain,
  })
  return (
    <SidePanel open onClose={onClose} title={leaving ? texts.leaveTitle : texts.removeTitle(member.fullName)}>
      <p className="mb-6 text-14 text-soft">{leaving ? texts.leaveLead : texts.removeLead}</p>
      <FormShell form={form}>
        <FormActs onClose={onClose}>
          <Button type="submit" look="danger" pending={form.pending}>
            {leaving ? texts.leave : texts.remove}
          </Button>
        </FormActs>
      </FormShell>
    </SidePanel>
  )
}
