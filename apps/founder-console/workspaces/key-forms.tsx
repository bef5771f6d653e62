import { troubleOf } from '@windlass/client/trouble.ts'
import {
  createApiKey,
  revokeApiKey,
  rollApiKey,
  type ApiKey,
  type ApiKeyScope,
  type NewApiKey,
} from '@windlass/contracts/api-keys.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm, type FormErrors } from '@windlass/ui/form.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { operator } from '../operator.ts'
import { workspace } from '../texts/workspace.ts'
import { FormActs } from './form-acts.tsx'

const texts = workspace.keys

interface KeyFormProps {
  anchorId: string
  onDone(made?: NewApiKey): void
  onClose(): void
}

type OneKeyFormProps = KeyFormProps & { apiKey: ApiKey }

const explain = (error: unknown) => ({ trouble: { ...troubleOf(error), title: texts.failed } })

const choicesOf = (choices: Record<string, string>) =>
  Object.entries(choices).map(([value, label]) => ({ value, label }))

const scopeNames = ['read', 'write', 'webhooks'] as const satisfies ApiKeyScope[]
const DAY_MS = 86_400_000

export function CreateKey({ anchorId, onDone, onClose }: KeyFormProps) {
  const form = useForm({
    initial: { name: '', scopes: ['read'] as readonly string[], days: 'never' },
    check: ({ name, scopes }) => {
      const errors: FormErrors = {}
      if (name.trim() === '') errors.name = texts.name.missing
      if (scopes.length === 0) errors.scopes = texts.scopes.missing
      return errors
    },
    send: async ({ name, scopes, days }) => {
      const lasts = Number(days) * DAY_MS
      const expiresAt = Number.isNaN(lasts) ? undefined : new Date(Date.now() + lasts).toISOString()
      const body = {
        name: name.trim(),
        scopes: scopeNames.filter(scope => scopes.includes(scope)),
        expiresAt,
      }
      onDone(await operator.call(createApiKey, { params: { anchorId }, body }))
    },
    explain,
  })
  return (
    <SidePanel open onClose={onClose} title={texts.create}>
      <FormShell form={form}>
        <TextField
          name="name"
          label={texts.name.label}
          hint={texts.name.hint}
          maxLength={100}
          autoComplete="off"
        />
        <ChoicesField
          name="scopes"
          label={texts.scopes.label}
          choices={scopeNames.map(value => ({ value, ...texts.scopes.choices[value] }))}
        />
        <SelectField
          name="days"
          label={texts.expires.label}
          choices={choicesOf(texts.expires.choices)}
          required
        />
        <FormActs onClose={onClose}>
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.create}
          </Button>
        </FormActs>
      </FormShell>
    </SidePanel>
  )
}

export function RollKey({ anchorId, apiKey, onDone, onClose }: OneKeyFormProps) {
  const form = useForm({
    initial: { overlap: '86400' },
    check: () => ({}),
    send: async ({ overlap }) => {
      const params = { anchorId, id: apiKey.id }
      onDone(await operator.call(rollApiKey, { params, body: { overlapSeconds: Number(overlap) } }))
    },
    explain,
  })
  return (
    <SidePanel open onClose={onClose} title={texts.rollTitle(apiKey.name)}>
      <p className="mb-6 text-14 text-soft">{texts.rollLead}</p>
      <FormShell form={form}>
        <SelectField
          name="overlap"
          label={texts.overlap.label}
          choices={choicesOf(texts.overlap.choices)}
          required
        />
        <FormActs onClose={onClose}>
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.confirmRoll}
          </Button>
        </FormActs>
      </FormShell>
    </SidePanel>
  )
}

export function RevokeKey({ anchorId, apiKey, onDone, onClose }: OneKeyFormProps) {
  const form = useForm({
    initial: { typed: '' },
    check: ({ typed }) => (typed.trim() === apiKey.name ? {} : { typed: texts.typeName.wrong }),
    send: async () => {
      await operator.call(revokeApiKey, { params: { anchorId, id: apiKey.id } })
      onDone()
    },
    explain,
  })
  return (
    <SidePanel open onClose={onClose} title={texts.revokeTitle(apiKey.name)}>
      <p className="mb-6 text-14 text-soft">{texts.revokeLead}</p>
      <FormShell form={form}>
        <TextField name="typed" label={texts.typeName.label(apiKey.name)} autoComplete="off" />
        <FormActs onClose={onClose}>
          <Button type="submit" look="danger" pending={form.pending}>
            {texts.confirmRevoke}
          </Button>
        </FormActs>
      </FormShell>
    </SidePanel>
  )
}
