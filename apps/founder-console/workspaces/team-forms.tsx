import { codeOf, fieldErrorsOf, describeError } from '@windlass/client/errors.ts'
import { addMember, changeMember, type Member, removeMember } from '@windlass/contracts/members.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import {
  type FormErrors,
  type FormOptions,
  FormActions,
  FormShell,
  type FormValues,
  useForm,
} from '@windlass/ui/form.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { useState } from 'react'
import { confirmOperator, requestOperatorCode } from '@windlass/contracts/operators.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Panel } from '@windlass/ui/page.tsx'
import { operator, profileQuery } from '../session.ts'
import { workspace } from './texts.ts'

const texts = workspace.team
type Role = Member['role']

interface TeamFormProps {
  organizationId: string
  /** Only owners add owners. */
  canAddOwners: boolean
  onDone(): void
  onClose(): void
}

type OneMemberProps = TeamFormProps & { member: Member }

/** A form whose submit may require a confirmed identity; `proof` asks for it while that is the case. */
export function useGuardedForm<V extends FormValues>(
  options: Pick<FormOptions<V>, 'initial' | 'check' | 'send'> & { explain?: FormOptions<V>['explain'] },
) {
  const [asking, setAsking] = useState(false)
  const form = useForm<V>({
    ...options,
    explain: error => {
      setAsking(needsConfirmation(error))
      return needsConfirmation(error) ? {} : (options.explain ?? explain)(error)
    },
  })
  const onConfirmed = () => {
    setAsking(false)
    form.resubmit()
  }
  return { form, proof: asking && <ConfirmIdentity onConfirmed={onConfirmed} /> }
}

const explain = (error: unknown): { errors?: FormErrors; failure?: ReturnType<typeof describeError> } => {
  if (codeOf(error) === 'already-a-member') return { errors: { email: texts.email.known } }
  const errors = fieldErrorsOf(error)
  if (Object.keys(errors).length > 0) return { errors }
  return { failure: { ...describeError(error), title: texts.failed } }
}

const roleOf = (text: string): Role => (text === 'owner' || text === 'admin' ? text : 'member')

function RoleField({ canAddOwners }: { canAddOwners: boolean }) {
  const roles: Role[] = canAddOwners ? ['member', 'admin', 'owner'] : ['member', 'admin']
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
        <RoleField canAddOwners={canAddOwners} />
        <FormActions onCancel={onClose}>
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.add}
          </Button>
        </FormActions>
      </FormShell>
    </SidePanel>
  )
}

export function ChangeMember({ organizationId, canAddOwners, member, onDone, onClose }: OneMemberProps) {
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
        <RoleField canAddOwners={canAddOwners} />
        <FormActions onCancel={onClose}>
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.change}
          </Button>
        </FormActions>
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
        <FormActions onCancel={onClose}>
          <Button type="submit" look="danger" pending={form.pending}>
            {leaving ? texts.leave : texts.remove}
          </Button>
        </FormActions>
      </FormShell>
    </SidePanel>
  )
}

/** Whether a request was refused until the person confirms their identity. */
const needsConfirmation = (error: unknown): boolean => codeOf(error) === 'confirmation-needed'

/** Confirms the person's identity by a new code or the password before a sensitive change. */
function ConfirmIdentity({ onConfirmed }: { onConfirmed(): void }) {
  const email = useQuery(profileQuery).data?.user.email ?? ''
  const sendCode = useMutation({ mutationFn: () => operator.call(requestOperatorCode, { body: { email } }) })
  const form = useForm({
    initial: { proof: '' },
    check: ({ proof }): FormErrors => (proof.trim() === '' ? { proof: workspace.confirm.proof.missing } : {}),
    send: async ({ proof }) => {
      // Six digits are a code, in whatever groups they were typed; anything else is a password.
      const isCode = /^\d{6}$/.test(proof.replace(/\s/g, ''))
      await operator.call(confirmOperator, { body: isCode ? { code: proof } : { password: proof } })
      onConfirmed()
    },
    explain: error =>
      codeOf(error) === 'confirmation-refused'
        ? { errors: { proof: workspace.confirm.proof.wrong } }
        : { failure: { ...describeError(error), title: workspace.confirm.failed } },
  })
  return (
    <Panel className="mb-6 space-y-4 p-4">
      <div>
        <h3 className="font-semibold">{workspace.confirm.title}</h3>
        <p className="text-14 text-soft">{workspace.confirm.lead}</p>
      </div>
      <div className="space-y-2">
        <Button pending={sendCode.isPending} onClick={() => sendCode.mutate()}>
          {workspace.confirm.send}
        </Button>
        <p role="status" className="text-13 text-soft">
          {sendCode.isSuccess && workspace.confirm.sent(email)}
          {sendCode.error && describeError(sendCode.error).detail}
        </p>
      </div>
      <FormShell form={form} className="space-y-4">
        <TextField
          name="proof"
          type="password"
          label={workspace.confirm.proof.label}
          hint={workspace.confirm.proof.hint}
          autoComplete="current-password"
        />
        <Button type="submit" look="primary" pending={form.pending}>
          {workspace.confirm.confirm}
        </Button>
      </FormShell>
    </Panel>
  )
}
