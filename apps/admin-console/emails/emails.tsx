import {
  type EmailLanguage,
  emailLanguages,
  type EmailSample,
  listEmails,
} from '@windlass/contracts/platform/emails.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { currentLanguage, languages } from '@windlass/ui/catalogue.ts'
import { useOpenRow, TableSkeleton } from '@windlass/ui/console/record-list.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { formatList } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { Code, type Column, rowLink, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { Link } from 'react-router'
import { queries, query } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { emails as texts } from './texts.ts'

const emailsQuery = query(listEmails)

export function loader() {
  void queries.prefetchQuery(emailsQuery)
  return null
}

const ownLanguage = (): EmailLanguage =>
  emailLanguages.find(language => language === currentLanguage()) ?? emailLanguages[0]

const versionIn = ({ versions }: EmailSample, language: EmailLanguage) =>
  versions.find(version => version.language === language) ?? { language, subject: '', text: '' }

const columns: Column<EmailSample>[] = [
  {
    head: texts.columns.subject,
    className: 'max-sm:w-full',
    cell: row => (
      <Link to={paths.emails({ open: row.name })} preventScrollReset className={rowLink}>
        {versionIn(row, ownLanguage()).subject}
      </Link>
    ),
  },
  {
    head: texts.columns.recipients,
    className: 'text-soft',
    cell: row => formatList(row.recipients.map(each => texts.recipients[each])),
  },
  { head: texts.columns.name, className: 'max-lg:hidden', cell: row => <Code>{row.name}</Code> },
]

export function Component() {
  const list = useQuery(emailsQuery)
  const rows = list.data ?? []
  const { open, close } = useOpenRow(
    rows.map(row => row.name),
    name => paths.emails({ open: name }),
  )
  const email = rows.find(row => row.name === open)
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <DataScreen query={list} explain={describeError} skeleton={<TableSkeleton />}>
        {found => (
          <Table
            caption={texts.title}
            rows={found}
            keyOf={row => row.name}
            columns={columns}
            isCurrent={row => row.name === open}
          />
        )}
      </DataScreen>
      {email && <Preview email={email} onClose={close} />}
    </>
  )
}

type Form = keyof typeof texts.forms

/** The email in both languages, as HTML and as plain text. */
function Preview({ email, onClose }: { email: EmailSample; onClose(): void }) {
  const [language, setLanguage] = useState(ownLanguage)
  const [form, setForm] = useState<Form>('html')
  const { subject, text } = versionIn(email, language)
  return (
    <SidePanel open title={subject} onClose={onClose}>
      <div className="space-y-4">
        <Notice tone="info" title={texts.sample.title}>
          {texts.sample.detail}
        </Notice>
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          <Switch<EmailLanguage>
            label={texts.language}
            value={language}
            options={emailLanguages.map(each => [each, languages[each]])}
            onChoose={setLanguage}
          />
          <Switch<Form>
            label={texts.form}
            value={form}
            options={[
              ['html', texts.forms.html],
              ['text', texts.forms.text],
            ]}
            onChoose={setForm}
          />
        </div>
        {form === 'html' ? (
          <iframe
            key={`${email.name} ${language}`}
            title={texts.frame(subject)}
            src={previewAddress(email.name, language)}
            sandbox=""
            className="h-[520px] w-full rounded-8 border border-line"
          />
        ) : (
          <pre
            lang={language}
            tabIndex={0}
            className="rounded-8 border border-line bg-sunken px-4 py-3 font-mono text-13 wrap-anywhere whitespace-pre-wrap"
          >
            {text}
          </pre>
        )}
      </div>
    </SidePanel>
  )
}

const previewAddress = (name: string, language: EmailLanguage): string =>
  `/api/v1/admin/emails/${encodeURIComponent(name)}/html?language=${language}`

interface SwitchProps<Value extends string> {
  label: string
  value: Value
  options: readonly (readonly [Value, string])[]
  onChoose(value: Value): void
}

function Switch<Value extends string>({ label, value, options, onChoose }: SwitchProps<Value>) {
  return (
    <div role="group" aria-label={label} className="inline-flex gap-1">
      {options.map(([option, name]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => onChoose(option)}
          className="control rounded-8 border border-transparent px-3 text-14 font-medium text-soft hover:bg-hover aria-pressed:border-control aria-pressed:bg-surface aria-pressed:text-ink"
        >
          {name}
        </button>
      ))}
    </div>
  )
}
