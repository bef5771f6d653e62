import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  type DeveloperAnswer,
  sendDeveloperRequest,
} from '@windlass/contracts/platform/developer-requests.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatDuration } from '@windlass/ui/format-units.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { anchorUrl } from '../../paths.ts'
import { operator } from '../../session.ts'
import {
  type ApiDocument,
  bodyProperties,
  fillable,
  type Operation,
  operationsOf,
  requestPath,
  typeOf,
} from './api-document.ts'
import { developers as developersTexts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'

const texts = developersTexts.reference

/** The operations of the anchor's API, as its own OpenAPI document has them. Each can be tried with the reader's key. */
export function ApiReference() {
  const { id: anchorId } = useWorkspace()
  // On the page only: it is gone when the page is closed.
  const [key, setKey] = useState('')
  const body = { method: 'GET', path: '/api/v1/openapi.json' } as const
  const document = useQuery({
    ...operator.query(sendDeveloperRequest, { params: { anchorId }, body }, { staleTime: Infinity }),
    select: documentIn,
  })
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <DataScreen query={document} explain={describeError} skeleton={<Bar className="h-64" />}>
        {found => (
          <div className="space-y-6">
            {[...operationsOf(found)].map(([tag, operations]) => (
              <section key={tag} className="space-y-2">
                <h3 className="text-14 font-semibold">{tag}</h3>
                <ul className="divide-y divide-line rounded-8 border border-line bg-surface">
                  {operations.map(operation => (
                    <OperationRow
                      key={operation.operationId}
                      {...{ operation, apiKey: key, onKey: setKey }}
                      document={found}
                    />
                  ))}
                </ul>
              </section>
            ))}
          </div>
        )}
      </DataScreen>
    </section>
  )
}

/** Throws where the anchor has no document: it is of an earlier release. */
function documentIn({ status, body, cut }: DeveloperAnswer): ApiDocument {
  if (status !== 200 || body === null || cut) throw new Error('The anchor has no API document.')
  return JSON.parse(body) as ApiDocument
}

interface OperationProps {
  operation: Operation
  document: ApiDocument
  apiKey: string
  onKey(key: string): void
}

function OperationRow(props: OperationProps) {
  const { method, path, summary } = props.operation
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="text-14">
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary className="control flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5">
          <code className="w-16 shrink-0 font-mono text-13 font-semibold text-accent">{method}</code>
          <code className="min-w-0 basis-64 font-mono text-13 wrap-anywhere">{path}</code>
          <span className="min-w-0 flex-1 basis-48 text-soft">{summary}</span>
        </summary>
        {isOpen && <OperationDetail {...props} />}
      </details>
    </li>
  )
}

function OperationDetail({ operation, document, apiKey, onKey }: OperationProps) {
  const { description, parameters = [], responses } = operation
  const scopes = operation['x-required-scopes'] ?? []
  return (
    <div className="grid gap-6 border-t border-line px-4 py-4 lg:grid-cols-2">
      <div className="min-w-0 space-y-4">
        {description && <p className="wrap-anywhere">{description}</p>}
        {scopes.length > 0 && (
          <p className="text-soft">
            {texts.scopes} <code className="font-mono text-13 text-ink">{scopes.join(', ')}</code>
          </p>
        )}
        <Definitions
          title={texts.parameters}
          rows={parameters.map(({ name, required = false, schema, description: text }) => ({
            name,
            required,
            type: typeOf(schema, document),
            description: text,
          }))}
        />
        <Definitions title={texts.body} rows={bodyProperties(operation, document)} />
        <Definitions
          title={texts.answers}
          rows={Object.entries(responses).map(([name, { description: text }]) => ({
            name,
            required: false,
            type: '',
            description: text,
          }))}
        />
      </div>
      <Explorer {...{ operation, apiKey, onKey }} />
    </div>
  )
}

interface Definition {
  name: string
  required: boolean
  type: string
  description: string | undefined
}

function Definitions({ title, rows }: { title: string; rows: readonly Definition[] }) {
  if (rows.length === 0) return null
  return (
    <section className="space-y-1">
      <h4 className="text-13 font-medium text-soft">{title}</h4>
      <dl className="divide-y divide-line text-13">
        {rows.map(({ name, required, type, description }) => (
          <div key={name} className="grid gap-x-4 py-1.5 sm:grid-cols-[minmax(0,10rem)_minmax(0,1fr)]">
            <dt className="wrap-anywhere">
              <code className="font-mono">{name}</code>
              {required && <span className="text-soft"> {texts.required}</span>}
            </dt>
            <dd className="space-y-0.5 wrap-anywhere">
              {type && <code className="block font-mono text-soft">{type}</code>}
              {description}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Sends the operation with the reader's own key, over the platform: a page of another origin could not. */
function Explorer({ operation, apiKey, onKey }: Omit<OperationProps, 'document'>) {
  const { id: anchorId, homeDomain } = useWorkspace()
  const [answer, setAnswer] = useState<DeveloperAnswer>()
  const { method, bodyExample } = operation
  const fields = fillable(operation)
  const form = useForm({
    initial: {
      key: apiKey,
      body: bodyExample ?? '',
      ...Object.fromEntries(fields.map(({ name }) => [`parameter.${name}`, ''])),
    } as Record<string, string>,
    check: values => ({
      ...(values.key?.trim() ? {} : { key: texts.keyMissing }),
      ...(bodyExample === undefined || isJson(values.body ?? '') ? {} : { body: texts.bodyWrong }),
      ...Object.fromEntries(
        fields
          .filter(({ name, required }) => required && !values[`parameter.${name}`]?.trim())
          .map(({ name }) => [`parameter.${name}`, texts.parameterMissing(name)]),
      ),
    }),
    send: async values => {
      const body = {
        method,
        path: requestPath(operation, parametersIn(values)),
        key: (values.key ?? '').trim(),
        ...(bodyExample === undefined ? {} : { body: values.body ?? '' }),
      }
      setAnswer(undefined)
      setAnswer(await operator.call(sendDeveloperRequest, { params: { anchorId }, body }))
    },
    onChange: values => onKey(values.key ?? ''),
    explain: failedAs(texts.failed),
  })
  const command = curlOf(
    method,
    anchorUrl(homeDomain) + requestPath(operation, parametersIn(form.values)),
    bodyExample === undefined ? undefined : form.values.body,
  )
  const typed = { autoComplete: 'off', spellCheck: false, className: 'font-mono' } as const
  return (
    <Panel className="min-w-0 space-y-4 px-4 py-4">
      <h4 className="font-semibold">{texts.explorer}</h4>
      <FormShell form={form} className="space-y-4">
        <TextField name="key" type="password" label={texts.key} hint={texts.keyHint} {...typed} />
        {fields.map(({ name, required, example }) => (
          <TextField
            key={name}
            name={`parameter.${name}`}
            label={name}
            optional={!required}
            placeholder={example === undefined ? undefined : String(example)}
            {...typed}
          />
        ))}
        {bodyExample !== undefined && (
          <TextAreaField name="body" label={texts.body} rows={8} maxLength={100_000} {...typed} />
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look={method === 'DELETE' ? 'danger' : 'primary'} pending={form.pending}>
            {texts.send(method)}
          </Button>
          <CopyButton value={command} what={texts.command} />
        </div>
      </FormShell>
      {answer && <Answer answer={answer} />}
    </Panel>
  )
}

function Answer({ answer: { status, headers, body, cut, durationMs } }: { answer: DeveloperAnswer }) {
  return (
    <div className="space-y-3" role="status">
      <p className="flex flex-wrap items-center gap-3">
        <Status tone={status < 400 ? 'good' : 'bad'}>{status}</Status>
        <span className="text-13 text-soft tabular">{formatDuration(durationMs)}</span>
      </p>
      <pre
        tabIndex={0}
        aria-label={texts.headers}
        className="overflow-x-auto rounded-6 bg-sunken p-2 font-mono text-13"
      >
        {Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n')}
      </pre>
      <pre
        tabIndex={0}
        aria-label={texts.answer}
        className="max-h-96 overflow-auto rounded-6 bg-sunken p-2 font-mono text-13 whitespace-pre-wrap wrap-anywhere"
      >
        {body === null ? texts.file : body === '' ? texts.empty : pretty(body)}
      </pre>
      {cut && <p className="text-13 text-soft">{texts.cut}</p>}
    </div>
  )
}

const parametersIn = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      name.startsWith('parameter.') ? [[name.slice('parameter.'.length), value]] : [],
    ),
  )

/** The request for a terminal. The key is not in it: a command is kept in its history. */
function curlOf(method: string, url: string, body: string | undefined): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const parts = [
    `curl -X ${method} ${quoted(url)}`,
    '-H "Authorization: Bearer $KEY"',
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const pretty = (text: string): string => (isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text)
