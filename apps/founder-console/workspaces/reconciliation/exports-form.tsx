import { failedAs } from '@windlass/ui/console/errors.ts'
import {
  currencyExports,
  downloadWorkspaceRecords,
  exportNames,
  railExports,
} from '@windlass/contracts/platform/exports.ts'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { saveFile } from '@windlass/ui/console/csv.ts'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { operator } from '../../session.ts'
import { latestMonth } from '../latest-month.ts'
import { texts as all } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'

const texts = all.exports
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text)

/** Files of a period, from the anchor's journal. */
export function Exports() {
  const workspace = useWorkspace()
  const { id: anchorId, subdomain, rails } = workspace
  const form = useForm({
    initial: {
      ...{ name: 'statement.pdf', rail: rails[0] ?? '', currency: '', customer: '' },
      ...latestMonth(workspace),
    },
    check: ({ from, to }): FormErrors => ({
      ...(isDay(from) ? {} : { from: texts.day }),
      ...(isDay(to) ? (to < from ? { to: texts.order } : {}) : { to: texts.day }),
    }),
    send: async ({ name: chosen, rail, currency: given, customer, from, to }) => {
      const name = exportNames.find(each => each === chosen) ?? 'statement.pdf'
      const isOfRail = railExports.includes(name)
      const currency = given.trim().toUpperCase()
      const query = {
        ...{ from, to },
        ...(isOfRail && { rail }),
        ...(currencyExports.includes(name) && currency !== '' && { currency }),
        ...(name === 'customer.csv' && { customer: customer.trim() }),
      }
      const file = await operator.open(downloadWorkspaceRecords, { params: { anchorId, name }, query })
      const parts = isOfRail ? [subdomain, rail, from, to, name] : [subdomain, from, to, name]
      saveFile(parts.join('-'), await file.blob())
    },
    explain: failedAs(texts.failed),
  })
  const files = exportNames.map(value => ({ value, label: texts.names[value] }))
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <Panel className="px-4 py-4 sm:px-5">
        <FormShell form={form}>
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField name="name" label={texts.name} choices={files} required />
            {currencyExports.includes(form.values.name) && (
              <TextField
                name="currency"
                label={texts.currency}
                hint={texts.currencyHint}
                maxLength={3}
                optional
              />
            )}
            {form.values.name === 'customer.csv' && (
              <TextField name="customer" label={texts.customer} hint={texts.customerHint} />
            )}
            {railExports.includes(form.values.name) && (
              <SelectField
                name="rail"
                label={texts.rail}
                choices={rails.map(value => ({ value, label: value }))}
                required
              />
            )}
          </div>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField name="from" label={texts.from} type="date" />
            <TextField name="to" label={texts.to} type="date" />
          </div>
          <Button type="submit" pending={form.pending}>
            {texts.download}
          </Button>
        </FormShell>
      </Panel>
    </section>
  )
}
