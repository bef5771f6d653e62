import { checkSubdomain, redeemInvitation } from '@windlass/contracts/platform/invitations.ts'
import { codeOf, refusedAs, describeError } from '@windlass/ui/console/errors.ts'
import { Button } from '@windlass/ui/button.tsx'
import { PasswordField, TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Icon, Spinner } from '@windlass/ui/icons.tsx'
import { PageHeading, Panel } from '@windlass/ui/page.tsx'
import { StrengthMeter } from '@windlass/ui/strength-meter.tsx'
import { useNavigate } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, query } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { redeem as texts } from './texts.ts'
import { strengthOf } from '@windlass/ui/password-strength.ts'

interface RedeemFormProps {
  token: string
  email: string
  companyName: string
  expiresAt: string
  /** The invitation became invalid while the form was open. */
  onGone(): void
}

export function RedeemForm({ token, email, companyName, expiresAt, onGone }: RedeemFormProps) {
  const navigate = useNavigate()
  const form = useForm({
    initial: { subdomain: '', fullName: '', password: '' },
    check,
    send: async values => {
      const body = { token, ...values, fullName: values.fullName.trim() }
      const { jobId } = await call(redeemInvitation, { body })
      await navigate(paths.provisioning(jobId), { replace: true })
    },
    explain: error => {
      const code = codeOf(error)
      if (code === 'subdomain-taken' || code === 'subdomain-not-allowed')
        return { errors: { subdomain: describeError(error).detail } }
      if (code === 'invitation-gone') onGone()
      return refusedAs(texts.failed)(error)
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
          <SubdomainStatus subdomain={subdomain} refused={form.errors.subdomain !== undefined} />
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
  const subdomainFault =
    values.subdomain === '' ? texts.subdomain.missing : faultOfSubdomain(values.subdomain)
  if (subdomainFault) errors.subdomain = subdomainFault
  if (values.fullName.trim() === '') errors.fullName = texts.fullName.missing
  if (values.password.length < 8) errors.password = texts.password.tooShort
  else if (values.password.length > 256) errors.password = texts.password.tooLong
  return errors
}

const PAUSE_MS = 300

/** Why a text is not a subdomain; undefined where it is one. */
function faultOfSubdomain(text: string): string | undefined {
  const bad = [...text].find(character => !/[a-z0-9-]/.test(character))
  if (bad) return texts.subdomain.badCharacter(bad)
  if (text.startsWith('-') || (text.length > 2 && text.endsWith('-'))) return texts.subdomain.hyphenAtEnd
  return text.length < 3 ? texts.subdomain.tooShort(text.length) : undefined
}

const isSubdomain = (text: string): boolean => text !== '' && faultOfSubdomain(text) === undefined

/** Once typing pauses: whether the subdomain is available, and the anchor's address. A `refused` one has its error above. */
function SubdomainStatus({ subdomain, refused }: { subdomain: string; refused: boolean }) {
  const settled = useDebounced(subdomain)
  const isValid = isSubdomain(settled)
  const answer = useQuery(
    query(
      checkSubdomain,
      { query: { subdomain: settled } },
      {
        enabled: isValid,
        staleTime: 10_000,
      },
    ),
  )
  const waiting = isSubdomain(subdomain) && (subdomain !== settled || answer.isPending)
  return (
    <p role="status" className="flex min-h-5 items-start gap-1.5 text-13">
      {waiting ? (
        <span className="flex items-center gap-1.5 text-soft">
          <Spinner className="size-3.5" /> {texts.subdomain.checking}
        </span>
      ) : !isSubdomain(subdomain) ? (
        <span className="text-soft">{subdomain !== '' && !refused && faultOfSubdomain(subdomain)}</span>
      ) : answer.error ? (
        <span className="text-soft">{texts.subdomain.unknown}</span>
      ) : answer.data?.available ? (
        <span className="flex items-start gap-1.5 text-good">
          <Icon name="check" className="mt-0.5" />
          <span className="min-w-0">
            {texts.subdomain.available}{' '}
            <code className="block font-mono wrap-anywhere">{answer.data.homeDomain}</code>
          </span>
        </span>
      ) : (
        <span className="flex items-start gap-1.5 text-bad">
          <Icon name="cross" className="mt-0.5" />
          {answer.data?.reason}
        </span>
      )}
    </p>
  )
}

function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
