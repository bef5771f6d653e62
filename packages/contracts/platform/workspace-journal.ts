import * as journal from '../anchor/journal.ts'
import * as reserves from '../anchor/reserves.ts'
import { relayed } from '../relayed.ts'

/* An anchor's journal as its accountants need it, for its organization in the console. */

export const listWorkspaceJournalAccounts = relayed(
  'GET /api/v1/anchors/:anchorId/journal/accounts',
  journal.listJournalAccounts,
  {},
)

export const setWorkspaceJournalAccount = relayed(
  'PUT /api/v1/anchors/:anchorId/journal/accounts/:account',
  journal.setJournalAccountAs,
  { area: 'finance', who: 'admin', confirm: true },
)

export const getWorkspaceJournalSettings = relayed(
  'GET /api/v1/anchors/:anchorId/journal/settings',
  journal.getJournalSettings,
  {},
)

/** A higher tolerance for charges of banks waits for another person who may do it. */
export const setWorkspaceJournalSettings = relayed(
  'PUT /api/v1/anchors/:anchorId/journal/settings',
  journal.setJournalSettingsAs,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: true, problems: ['second-person-waits'] },
)

export const getWorkspacePeriod = relayed(
  'GET /api/v1/anchors/:anchorId/journal/period',
  journal.getPeriod,
  {},
)

export const listWorkspaceCloses = relayed(
  'GET /api/v1/anchors/:anchorId/journal/closes',
  journal.listCloses,
  {},
)

export const getWorkspaceClose = relayed(
  'GET /api/v1/anchors/:anchorId/journal/closes/:id',
  journal.getClose,
  {},
)

export const closeWorkspacePeriod = relayed(
  'POST /api/v1/anchors/:anchorId/journal/closes',
  journal.closePeriodAs,
  { area: 'finance', who: 'admin', confirm: true },
)

export const getWorkspaceSafeguarding = relayed(
  'GET /api/v1/anchors/:anchorId/safeguarding',
  reserves.getSafeguarding,
  {},
)

export const listWorkspaceSafeguardingDays = relayed(
  'GET /api/v1/anchors/:anchorId/safeguarding/days',
  reserves.listSafeguardingDays,
  {},
)
