import { getExportKey, setExportKey } from '@windlass/contracts/platform/anchor-life.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { failedAs } from '@windlass/ui/console/errors.ts'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { useForm } from '@windlass/ui/form.tsx'
import { Panel } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { queries } from '../../queries.ts'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { exportKey as texts } from './texts.ts'

const keyQuery = (anchorId: string) => operator.query(getExportKey, { params: { anchorId } })

/** The key that opens the export of the anchor's data without the platform. Its founder keeps the private one. */
export function ExportKeyPanel() {
  const { id: anchorId, role } = useWorkspace()
  const [editing, setEditing] = useState(false)
  const { data } = useQuery(keyQuery(anchorId))
  if (!data) return null
  return (
    <Panel className="space-y-3 px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-semibold">{texts.title}</h2>
          <p className="text-14 text-soft">{texts.lead}</p>
        </div>
        {role === 'owner' && <Button onClick={() => setEditing(true)}>{texts.change}</Button>}
      </div>
      {data.publicKey === null ? (
        <p className="text-14 text-soft">{texts.none}</p>
      ) : (
        <Identifier value={data.publicKey} what={texts.label.toLowerCase()} />
      )}
      {editing && (
        <KeyForm anchorId={anchorId} publicKey={data.publicKey} onClose={() => setEditing(false)} />
      )}
    </Panel>
  )
}

const PUBLIC_KEY = /^[A-Za-z0-9_-]{43}$/

interface KeyFormProps {
  anchorId: string
  publicKey: string | null
  onClose(): void
}

function KeyForm({ anchorId, publicKey, onClose }: KeyFormProps) {
  const form = useForm({
    initial: { publicKey: publicKey ?? '' },
    check: values => {
      const key = values.publicKey.trim()
      return key === '' || PUBLIC_KEY.test(key) ? {} : { publicKey: texts.invalid }
    },
    send: async values => {
      const body = { publicKey: values.publicKey.trim() || null }
      const set = await operator.call(setExportKey, { params: { anchorId }, body })
      queries.setQueryData(keyQuery(anchorId).queryKey, set)
      onClose()
    },
    explain: failedAs(texts.failed),
  })
  return (
    <FormPanel title={texts.change} form={form} send={texts.save} onClose={onClose}>
      <p className="text-14">{texts.how}</p>
      <code className="block font-mono text-13">npm run export:key -- my-anchor.key</code>
      <TextField
        name="publicKey"
        label={texts.label}
        hint={texts.hint}
        autoComplete="off"
        spellCheck={false}
        optional
      />
    </FormPanel>
  )
}
