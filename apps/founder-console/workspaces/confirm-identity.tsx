import { codeOf, troubleOf } from '@windlass/client/trouble.ts'
import { confirmOperator, requestOperatorCode } from '@windlass/contracts/operators.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm, type FormErrors } from '@windlass/ui/form.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { operator, profileQuery } from '../operator.ts'
import { workspace } from '../texts/workspace.ts'

const texts = workspace.confirm

/** Whether an act was refused because its doer has to prove again who they are. */
export const wantsProof = (error: unknown): boolean => codeOf(error) === 'confirmation-needed'

/** Asks who sits before the screen, by a fresh code or the password, before a dangerous act goes on. */
export function ConfirmIdentity({ onConfirmed }: { onConfirmed(): void }) {
  const email = useQuery(profileQuery).data?.user.email ?? ''
  const mail = useMutation({ mutationFn: () => operator.call(requestOperatorCode, { body: { email } }) })
  const form = useForm({
    initial: { proof: '' },
    check: ({ proof }): FormErrors => (proof.trim() === '' ? { proof: texts.proof.missing } : {}),
    send: async ({ proof }) => {
      // Six digits are a code, in whatever groups they were typed; anything else is a password.
      const isCode = /^\d{6}$/.test(proof.replace(/\s/g, ''))
      await operator.call(confirmOperator, { body: isCode ? { code: proof } : { password: proof } })
      onConfirmed()
    },
    explain: error =>
      codeOf(error) === 'confirmation-refused'
        ? { errors: { proof: texts.proof.wrong } }
        : { trouble: { ...troubleOf(error), title: texts.failed } },
  })
  return (
    <Panel className="mb-6 space-y-4 p-4">
      <div>
        <h3 className="font-semibold">{texts.title}</h3>
        <p className="text-14 text-soft">{texts.lead}</p>
      </div>
      <div className="space-y-2">
        <Button pending={mail.isPending} onClick={() => mail.mutate()}>
          {texts.mail}
        </Button>
        <p role="status" className="text-13 text-soft">
          {mail.isSuccess && texts.mailed(email)}
          {mail.error && troubleOf(mail.error).detail}
        </p>
      </div>
      <FormShell form={form} className="space-y-4">
        <TextField
          name="proof"
          type="password"
          label={texts.proof.label}
          hint={texts.proof.hint}
          autoComplete="current-password"
        />
        <Button type="submit" look="primary" pending={form.pending}>
          {texts.confirm}
        </Button>
      </FormShell>
    </Panel>
  )
}
