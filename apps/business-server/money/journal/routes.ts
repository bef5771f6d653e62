import * as contracts from '@windlass/contracts/anchor/journal.ts'
import * as manual from '@windlass/contracts/anchor/manual-entries.ts'
import { answer, fileAnswer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { listAccounts, setAccount } from './chart.ts'
import {
  decideManualEntry,
  form,
  listManualEntries,
  openManualDocument,
  requestManualEntry,
  reverseManualEntry,
} from './manual.ts'
import { journalSettings, setJournalSettings } from './settings.ts'

export function serveJournal(on: On, deps: Deps): void {
  const { db } = deps.database
  on(contracts.listJournalAccounts).serve(() => listAccounts(deps))
  on(contracts.setJournalAccountAs).serve(({ params, body }) => setAccount(deps, params.account, body))
  on(contracts.getJournalSettings).serve(() => journalSettings(db))
  on(contracts.setJournalSettingsAs).serve(({ body }) => setJournalSettings(db, body))
  on(manual.listManualEntries).serve(async ({ query, request, reply }) => {
    const rows = await listManualEntries(db, query)
    linkNext(request, reply, query, rows)
    return rows.map(form)
  })
  on(manual.requestManualEntryAs).serve(async ({ body }) => answer(201, await requestManualEntry(deps, body)))
  on(manual.reverseManualEntryAs).serve(({ params, body }) => reverseManualEntry(deps, params.id, body))
  on(manual.decideManualEntryAs).serve(({ params, body }) => decideManualEntry(deps, params.id, body))
  on(manual.downloadManualDocumentAs).serve(async ({ params }) => {
    const { name, bytes } = await openManualDocument(deps, params.id)
    return fileAnswer(name, bytes)
  })
}
