import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { confirmOperator, requestOperatorCode } from '@windlass/contracts/platform/operators.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { ConfirmIdentity } from '@windlass/ui/console/second-factor-proof.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { Queries } from '../query-pages.tsx'
import { operator, profileQuery } from '../session.ts'
import { secondFactors } from './second-factors.ts'
import { account } from './texts.ts'

const texts = account.confirm

/** Confirms the operator's identity by the second factor; by a new code or the password where there is none. */
export default function ConfirmOperator(props: { onConfirmed(): void; onCancel(): void }) {
  return (
    <Queries>
      <ConfirmIdentity api={secondFactors} {...props}>
        <CodeOrPassword onConfirmed={props.onConfirmed} />
      </ConfirmIdentity>
    </Queries>
  )
}

function CodeOrPassword({ onConfirmed }: { onConfirmed(): void }) {
  const email = useQuery(profileQuery).data?.user.email ?? ''
  const sendCode = useMutation({
    mutationFn: () => operator.call(requestOperatorCode, { body: { email, purpose: 'confirmation' } }),
  })
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
        : { failure: { ...describeError(error), title: texts.failed } },
  })
  return (
    <div className="space-y-4">
      <div className="space-y-2">
        <Button pending={sendCode.isPending} onClick={() => sendCode.mutate()}>
          {texts.send}
        </Button>
        <p role="status" className="text-13 text-soft">
          {sendCode.isSuccess && texts.sent(email)}
          {sendCode.error && describeError(sendCode.error).detail}
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
    </div>
  )
}
