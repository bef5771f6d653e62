import type { CaseReport } from '@windlass/contracts/anchor/cases.ts'
import {
  type GoamlSettings,
  MAX_SCHEMA_BYTES,
  type ReportSettings,
} from '@windlass/contracts/anchor/report-settings.ts'
import {
  getWorkspaceReportSettings,
  setWorkspaceReportSettings,
} from '@windlass/contracts/platform/workspace-report-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FileField } from '@windlass/ui/file-field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { useRef, useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { manages } from '../manages.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './report-texts.ts'

/** What the financial intelligence unit gave for reports. */
export function ReportSettingsSection() {
  const { id: anchorId, role } = useWorkspace()
  const found = useQuery(operator.query(getWorkspaceReportSettings, { params: { anchorId } }))
  const [isChanging, setChanging] = useState(false)
  const { fields } = texts
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          manages(role, 'compliance') && (
            <Button onClick={() => setChanging(true)} aria-label={`${texts.change}: ${texts.title}`}>
              {texts.change}
            </Button>
          )
        }
      />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-24" />}>
        {settings => (
          <>
            {settings.goaml === null ? (
              <Empty title={texts.empty.title}>{texts.empty.detail}</Empty>
            ) : (
              <Facts>
                <Fact name={fields.rentityId}>{String(settings.goaml.rentityId)}</Fact>
                <Fact name={fields.currency}>{settings.goaml.currency}</Fact>
                <Fact name={fields.indicators}>{settings.goaml.indicators.join(', ')}</Fact>
                {settings.schema && (
                  <Fact name={fields.schema}>
                    <span className="wrap-anywhere">{settings.schema.fileName}</span>
                  </Fact>
                )}
              </Facts>
            )}
            {isChanging && <SettingsForm settings={settings} onClose={() => setChanging(false)} />}
          </>
        )}
      </DataScreen>
    </section>
  )
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

function unknownIn(text: string): GoamlSettings['unknown'] | null {
  const pairs = linesOf(text).map(line => /^([a-z][a-z0-9_]*)\s*=\s*(\S.*)$/.exec(line))
  if (pairs.includes(null)) return null
  return Object.fromEntries(pairs.map(pair => [pair?.[1] ?? '', pair?.[2] ?? '']))
}

const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter(word => word !== '')

const valuesOf = (goaml: GoamlSettings | null) => ({
  ...{ rentityId: goaml ? String(goaml.rentityId) : '', currency: goaml?.currency ?? '' },
  ...{ submission: goaml?.submissionCode ?? 'E', withTransactions: goaml?.reportCodes.transactions ?? 'STR' },
  ...{ withoutTransactions: goaml?.reportCodes.activity ?? 'SAR', funds: goaml?.fundsCode ?? '' },
  ...{ transmode: goaml?.transmodeCode ?? '', accountType: goaml?.accountType ?? '' },
  ...{ accountStatus: goaml?.accountStatus ?? '', swift: goaml?.swift ?? '' },
  ...{ indicators: goaml?.indicators.join(' ') ?? '', firstName: goaml?.person.firstName ?? '' },
  lastName: goaml?.person.lastName ?? '',
  unknown: Object.entries(goaml?.unknown ?? {})
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n'),
})
type Values = ReturnType<typeof valuesOf>

const settingsOf = (values: Values): GoamlSettings => ({
  ...{ rentityId: Number(values.rentityId), currency: values.currency.trim().toUpperCase() },
  ...{ submissionCode: values.submission.trim(), fundsCode: values.funds.trim() },
  reportCodes: { transactions: values.withTransactions.trim(), activity: values.withoutTransactions.trim() },
  ...{ transmodeCode: values.transmode.trim(), accountType: values.accountType.trim() || null },
  ...{ accountStatus: values.accountStatus.trim() || null, swift: values.swift.trim() || null },
  indicators: wordsIn(values.indicators),
  person: { firstName: values.firstName.trim(), lastName: values.lastName.trim() },
  unknown: unknownIn(values.unknown) ?? {},
})

const NEEDED = [
  ...(['submission', 'withTransactions', 'withoutTransactions', 'funds', 'transmode'] as const),
  ...(['indicators', 'firstName', 'lastName'] as const),
]
const OPTIONAL = ['accountType', 'accountStatus', 'swift'] as const

function errorsOf(values: Values): FormErrors {
  const missing = NEEDED.filter(name => values[name].trim() === '').map(
    name => [name, texts.missing] as const,
  )
  return {
    ...Object.fromEntries(missing),
    ...(!/^[1-9]\d{0,8}$/.test(values.rentityId.trim()) && { rentityId: texts.invalidNumber }),
    ...(!/^[A-Z]{3}$/i.test(values.currency.trim()) && { currency: texts.invalidCurrency }),
    ...(unknownIn(values.unknown) === null && { unknown: texts.invalidLine }),
  }
}

function SettingsForm({ settings, onClose }: { settings: ReportSettings; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const files = useRef<HTMLInputElement>(null)
  const chosen = () => files.current?.files?.[0]
  const { fields, hints } = texts
  const form = useForm({
    initial: { ...valuesOf(settings.goaml), file: '', forget: [] as string[] },
    check: (values): FormErrors => ({
      ...errorsOf(values),
      ...((chosen()?.size ?? 0) > MAX_SCHEMA_BYTES && { file: texts.tooLarge }),
    }),
    send: async values => {
      const file = chosen()
      const schema = file && { fileName: file.name.slice(0, 200), text: await file.text() }
      const kept = values.forget.length > 0 ? { schema: null } : {}
      await operator.call(setWorkspaceReportSettings, {
        params: { anchorId },
        body: {
          ...{ goaml: settingsOf(values), version: settings.version },
          ...(schema ? { schema } : kept),
        },
      })
      onClose()
      void refresh(getWorkspaceReportSettings)
    },
    explain: failedAs(texts.failed),
  })
  return (
    <FormPanel title={texts.title} form={form} send={texts.send} onClose={onClose}>
      <TextField name="rentityId" label={fields.rentityId} autoComplete="off" maxLength={9} />
      <TextField name="currency" label={fields.currency} autoComplete="off" maxLength={3} />
      {NEEDED.map(name => (
        <TextField
          key={name}
          name={name}
          label={fields[name]}
          hint={name === 'indicators' ? hints.indicators : ''}
          autoComplete="off"
        />
      ))}
      {OPTIONAL.map(name => (
        <TextField key={name} name={name} label={fields[name]} autoComplete="off" maxLength={50} optional />
      ))}
      <TextAreaField name="unknown" label={fields.unknown} hint={hints.unknown} maxLength={10_000} optional />
      <FileField name="file" label={fields.schema} hint={hints.schema} inputRef={files} optional />
      {settings.schema && (
        <ChoicesField
          name="forget"
          label={texts.forget}
          choices={[{ value: 'forget', label: texts.yes }]}
          optional
        />
      )}
    </FormPanel>
  )
}

/** What a person has to see to in a draft. */
export function ReportFindings({ schema }: { schema: NonNullable<CaseReport['schema']> }) {
  const { findings: words } = texts
  return (
    <section className="space-y-2" role="status">
      <h3 className="text-13 font-medium text-soft">{words.title(schema.fileName)}</h3>
      {schema.findings.length === 0 ? (
        <p className="text-13">{words.none}</p>
      ) : (
        <ul className="grid gap-1 text-13">
          {schema.findings.map(({ kind, path, value }, index) => (
            <li key={index} className="wrap-anywhere">
              {words.kinds[kind]}: <span className="font-mono">{path}</span>
              {value !== null && ` · ${value}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
