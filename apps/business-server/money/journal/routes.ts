import * as contracts from '@windlass/contracts/anchor/journal.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { listAccounts, setAccount } from './chart.ts'
import { journalSettings, setJournalSettings } from './settings.ts'

export function serveJournal(on: On, deps: Deps): void {
  const { db } = deps.database
  on(contracts.listJournalAccounts).serve(() => listAccounts(deps))
  on(contracts.setJournalAccountAs).serve(({ params, body }) => setAccount(deps, params.account, body))
  on(contracts.getJournalSettings).serve(() => journalSettings(db))
  on(contracts.setJournalSettingsAs).serve(({ body }) => setJournalSettings(db, body))
}
