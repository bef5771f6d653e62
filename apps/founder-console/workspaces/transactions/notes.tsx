import { failedAs } from '@windlass/ui/console/errors.ts'
import type { TransactionNote } from '@windlass/contracts/anchor/developer-api.ts'
import { Button } from '@windlass/ui/button.tsx'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { useState } from 'react'
import { useMemberName } from '../team/members.ts'
import { transactions as transactionsTexts } from './texts.ts'

const texts = transactionsTexts.notes

interface NotesProps {
  notes: readonly TransactionNote[]
  /** Adds a note and reads the notes again. */
  add(text: string): Promise<void>
}

/** What the team noted, and a form for another note. Customers never see them. */
export function Notes({ notes, add }: NotesProps) {
  const nameOf = useMemberName()
  /** How many were added: each leaves the form empty, and a colleague's leaves it as typed. */
  const [added, setAdded] = useState(0)
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.title}</h3>
      {notes.length > 0 && (
        <ol className="divide-y divide-line rounded-8 border border-line text-13">
          {notes.map(note => (
            <li key={note.id} className="px-3 py-2">
              <p className="flex flex-wrap justify-between gap-x-4">
                <strong className="font-medium">{nameOf(note.by)}</strong>
                <time dateTime={note.at} className="text-soft">
                  {formatDateTime(note.at)}
                </time>
              </p>
              <p className="whitespace-pre-wrap wrap-anywhere">{note.text}</p>
            </li>
          ))}
        </ol>
      )}
      <NoteForm key={added} add={add} onDone={() => setAdded(added + 1)} />
    </section>
  )
}

function NoteForm({ add, onDone }: { add(text: string): Promise<void>; onDone(): void }) {
  const form = useForm({
    initial: { text: '' },
    check: ({ text }) => (text.trim() === '' ? { text: texts.missing } : {}),
    send: async ({ text }) => {
      await add(text.trim())
      onDone()
    },
    explain: failedAs(texts.failed),
  })
  return (
    <FormShell form={form}>
      <TextAreaField name="text" label={texts.label} hint={texts.hint} maxLength={1000} />
      <Button type="submit" pending={form.pending}>
        {texts.add}
      </Button>
    </FormShell>
  )
}
