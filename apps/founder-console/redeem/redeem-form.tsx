import { redeemInvitation } from '@windlass/contracts/invitations.ts'
import { codeOf, fieldErrorsOf, troubleOf } from '@windlass/client/trouble.ts'
import { Button } from '@windlass/ui/button.tsx'
import { PasswordField, TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm, type FormErrors } from '@windlass/ui/form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import { StrengthMeter } from '@windlass/ui/strength-meter.tsx'
import { useNavigate } from 'react-router'
import { call } from '../api.ts'
import { useIdempotencyKey } from '../idempotency-key.ts'
import { paths } from '../paths.ts'
import { redeem as texts } from '../texts/redeem.ts'
import { shell } from '../texts/shell.ts'
import { strengthOf } from './password-strength.ts'
import { isSubdomain, SubdomainAnswer } from './subdomain-answer.tsx'

interface RedeemFormProps {
  token: string
  email: string
  companyName: string
  expiresAt: string
  /** Somebody else used the invitation meanwhile. */
  onGone(): void
}

export function RedeemForm({ token, email, companyName, expiresAt, onGone }: RedeemFormProps) {
  const navigate = useNavigate()
  const keyFor = useIdempotencyKey()
  const form = useForm({
    initial: { subdomain: '', fullName: '', password: '' },
    check,
    send: async values => {
      const body = { token, ...values, fullName: values.fullName.trim() }
      const { jobId } = await call(redeemInvitation, { body, headers: { 'idempotency-key': keyFor(body) } })
      await navigate(paths.provisioning(jobId), { replace: true })
    },
    explain: error => {
      const code = codeOf(error)
      const trouble = troubleOf(error)
      if (code === 'subdomain-taken' || code === 'subdomain-not-allowed') {
        return { errors: { subdomain: trouble.detail } }
      }
      if (code === 'invitation-gone') onGone()
      const errors = fieldErrorsOf(error)
      if (Object.keys(errors).length > 0) return { errors }
      return { trouble: { ...trouble, title: texts.failed } }
    },
  })
  const { subdomain, fullName, password } = form.values
  return (
    <div className="space-y-6">
      <PageHeading
        title={texts.title}
        documentTitle={texts.documentTitle}
        product={shell.product}
        lead={texts.leadFor(companyName)}
      />
      <Panel className="flex flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3 text-14">
        <p>
          <span className="text-soft">{texts.invitedAs}</span>{' '}
          <strong className="font-semibold">{email}</strong>
        </p>
        <p className="text-soft">{texts.validUntil(formatDateTime(expiresAt))}</p>
      </Panel>
      <FormShell form={form}>
        <TextField
          name="subdomain"
          label={texts.subdomain.label}
          hint={texts.subdomain.hint}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={63}
          clean={lowerCase}
          className="font-mono"
        >
          <SubdomainAnswer subdomain={subdomain} />
        </TextField>
        <TextField name="fullName" label={texts.fullName.label} autoComplete="name" />
        <PasswordField
          name="password"
          label={texts.password.label}
          hint={texts.password.hint}
          autoComplete="new-password"
        >
          <StrengthMeter
            strength={password ? strengthOf(password, [email, companyName, fullName, subdomain]) : undefined}
          />
        </PasswordField>
        <Button type="submit" look="primary" pending={form.pending}>
          <Icon name="anchor" />
          {texts.send}
        </Button>
      </FormShell>
    </div>
  )
}

const lowerCase = (text: string) => text.toLowerCase().replace(/\s/g, '')

function check(values: { subdomain: string; fullName: string; password: string }): FormErrors {
  const errors: FormErrors = {}
  if (values.subdomain === '') errors.subdomain = texts.subdomain.missing
  else if (!isSubdomain(values.subdomain)) errors.subdomain = texts.subdomain.wrong
  if (values.fullName.trim() === '') errors.fullName = texts.fullName.missing
  if (values.password.length < 8) errors.password = texts.password.tooShort
  else if (values.password.length > 256) errors.password = texts.password.tooLong
  return errors
}
