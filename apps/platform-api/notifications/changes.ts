import type { Selectable } from 'kysely'
import type { NotificationsTable } from '../tables.ts'

export type Row = Selectable<NotificationsTable>

/** The anchor that a notification is about. */
export interface NotifiedAnchor {
  id: string
  organizationId: string
  homeDomain: string
}

/** `started` and `ended`: of a condition; `happened`: an event. */
export type Phase = 'started' | 'ended' | 'happened'

export type Changes = Readonly<Record<Phase, readonly Row[]>>

/** Changes of one kind and phase: one email for each person. */
export interface Group {
  kind: Row['kind']
  phase: Phase
  rows: Row[]
}

export function groupChanges(changes: Changes): Group[] {
  const phases = Object.entries(changes) as [Phase, readonly Row[]][]
  return phases.flatMap(([phase, rows]) =>
    [...Map.groupBy(rows, row => row.kind)].map(([kind, of]) => ({ kind, phase, rows: of })),
  )
}
