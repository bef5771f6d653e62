import { describeError } from '@windlass/ui/console/errors.ts'
import {
  type ApiKey,
  createApiKey,
  type NewApiKey,
  revokeApiKey,
  rollApiKey,
} from '@windlass/contracts/platform/api-keys.ts'
import { apiKeyScopes } from '@windlass/contracts/realm.ts'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { getWorkspace } from '@windlass/contracts/anchor/developer-api.ts'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { operator } from '../../session.ts'
import { anchorUrl } from '../../paths.ts'
import { keys as texts } from './texts.ts'

interface KeyFormProps {
  anchorId: string
  onDone(made?: NewApiKey): void
  onClose(): void
}

type OneKeyFormProps = KeyFormProps & { apiKey: ApiKey }

const explain = (error: unknown) => ({ failure: { ...describeError(error), title: texts.failed } })

const choicesOf = (choices: Record<string, string>) =>
  Object.entries(choices).map(([value, label]) => ({ value, label }))

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
        scopes: apiKeyScopes.filter(scope => scopes.includes(scope)),
        expiresAt,
      }
      onDone(await operator.call(createApiKey, { params: { anchorId }, body }))
    },
    explain,
  })
  return (
    <FormPanel title={texts.create} form={form} send={texts.create} onClose={onClose}>
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
        choices={apiKeyScopes.map(value => ({ value, ...texts.scopes.choices[value] }))}
      />
      <SelectField
        name="days"
        label={texts.expires.label}
        choices={choicesOf(texts.expires.choices)}
        required
      />
    </FormPanel>
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
    <FormPanel
      title={texts.rollTitle(apiKey.name)}
      form={form}
      send={texts.confirmRoll}
      lead={texts.rollLead}
      onClose={onClose}
    >
      <SelectField
        name="overlap"
        label={texts.overlap.label}
        choices={choicesOf(texts.overlap.choices)}
        required
      />
    </FormPanel>
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
    <FormPanel
      title={texts.revokeTitle(apiKey.name)}
      form={form}
      send={texts.confirmRevoke}
      look="danger"
      lead={texts.revokeLead}
      onClose={onClose}
    >
      <TextField name="typed" label={texts.typeName.label(apiKey.name)} autoComplete="off" />
    </FormPanel>
  )
}

/** The new key, displayed once, and a command that calls the anchor with it. */
export function RevealedKey({
  made,
  homeDomain,
  onDone,
}: {
  made: NewApiKey
  homeDomain: string
  onDone(): void
}) {
  const command = `curl -H 'Authorization: Bearer ${made.key}' ${anchorUrl(homeDomain)}${getWorkspace.path}`
  return (
    <Notice
      tone="good"
      role="status"
      title={texts.revealed.title}
      actions={
        <>
          <CopyButton value={made.key} what={texts.revealed.what} />
          <CopyButton value={command} what={texts.revealed.curlWhat} />
          <Button look="quiet" onClick={onDone}>
            {texts.revealed.done}
          </Button>
        </>
      }
    >
      <p>{texts.revealed.detail}</p>
      <code className="mt-2 block rounded-6 bg-sunken p-2 font-mono text-13 break-all text-ink">
        {made.key}
      </code>
      <p className="mt-2 text-13">{texts.revealed.curl}</p>
      <code className="mt-1 block rounded-6 bg-sunken p-2 font-mono text-13 break-all text-ink">
        {command}
      </code>
    </Notice>
  )
}
