import { codeOf, fieldErrorsOf, troubleOf } from '@windlass/client/trouble.ts'
import { addMember, changeMember, removeMember, type Member } from '@windlass/contracts/members.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm, type FormErrors, type FormOptions, type FormValues } from '@windlass/ui/form.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { useState } from 'react'
import { operator } from '../operator.ts'
import { workspace } from '../texts/workspace.ts'
import { ConfirmIdentity, wantsProof } from './confirm-identity.tsx'
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

/** A form whose act may ask first who is there; `proof` is that question while it stands open. */
function useGuardedForm<V extends FormValues>(options: Pick<FormOptions<V>, 'initial' | 'check' | 'send'>) {
  const [asking, setAsking] = useState(false)
  const form = useForm<V>({
    ...options,
    explain: error => {
      setAsking(wantsProof(error))
      return wantsProof(error) ? {} : explain(error)
    },
  })
  const goOn = () => {
    setAsking(false)
    form.again()
  }
  return { form, proof: asking && <ConfirmIdentity onConfirmed={goOn} /> }
}

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
  const { form, proof } = useGuardedForm({
    initial: { email: '', fullName: '', role: 'member' },
    check: ({ email }): FormErrors => (/^\S+@\S+$/.test(email) ? {} : { email: texts.email.missing }),
    send: async ({ email, fullName, role }) => {
      const name = fullName.trim()
      const body = { email, role: roleOf(role), ...(name ? { fullName: name } : {}) }
      await operator.call(addMember, { params: { organizationId }, body })
      onDone()
    },
  })
  return (
    <SidePanel open onClose={onClose} title={texts.add}>
      {proof}
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
  const { form, proof } = useGuardedForm({
    initial: { role: member.role as string },
    check: () => ({}),
    send: async ({ role }) => {
      const params = { organizationId, userId: member.userId }
      await operator.call(changeMember, { params, body: { role: roleOf(role) } })
      onDone()
    },
  })
  return (
    <SidePanel open onClose={onClose} title={texts.changeTitle(member.fullName)}>
      {proof}
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
  const { form, proof } = useGuardedForm({
    initial: {},
    check: () => ({}),
    send: async () => {
      await operator.call(removeMember, { params: { organizationId, userId: member.userId } })
      onDone()
    },
  })
  return (
    <SidePanel open onClose={onClose} title={leaving ? texts.leaveTitle : texts.removeTitle(member.fullName)}>
      <p className="mb-6 text-14 text-soft">{leaving ? texts.leaveLead : texts.removeLead}</p>
      {proof}
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
