import {
  CLOSE_TYPE,
  type CloseDocument,
  type ClosedPeriod,
  type CloseStatement,
  type PeriodPreview,
} from '@windlass/contracts/anchor/journal.ts'
import { invalid, Problem, unavailable } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import {
  addClose,
  closedUntil,
  contentOf,
  findClose,
  lockCloses,
  newestClose,
} from '../../money/journal/closes.ts'
import { recordRealised } from '../../money/journal/positions.ts'
import { journalDay } from '../../money/journal/settings.ts'
import type { JournalClose, Tables } from '../../tables.ts'
import { type CloseKind, daysOf, readPeriod } from './period.ts'

interface Asked {
  kind: CloseKind
  day: string
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A day or month as its close would have it. Throws `validation-failed`. */
export async function previewPeriod(deps: Deps, { kind, day }: Asked): Promise<Static<typeof PeriodPreview>> {
  const { db } = deps.database
  const days = daysOf(kind, day)
  const isOver = days.to < (await journalDay(db, deps.clock.now()))
  const close = await findClose(db, { kind, from: days.from })
  return { ...(await readPeriod(deps, db, kind, days)), isOver, closedBy: close?.id ?? null }
}

/**
 * Closes a day or month: nothing counts in it from then on. Who closes waits for entries under way, and entries wait for
 * who closes.
 *
 * @throws {Problem} `action-not-possible`, `dependency-unavailable`, `validation-failed`.
 */
export async function closePeriod(
  deps: Deps,
  { kind, day, reason, by }: Asked & { reason?: string | undefined; by: string },
): Promise<ClosedPeriod> {
  const { anchor } = deps.config
  const days = daysOf(kind, day)
  const now = deps.clock.now()
  return deps.database.db.transaction().execute(async tx => {
    await lockCloses(tx)
    await requireClosable(deps, tx, kind, days)
    if (kind === 'month') await recordRealised(tx, days.to)
    const period = await readPeriod(deps, tx, kind, days)
    if (period.open.length > 0 && !reason?.trim())
      throw invalid('reason', 'is needed: something is open. Say why the period is closed nevertheless')
    const content = JSON.stringify({ ...period, reason: reason?.trim() ?? null })
    const previous = await newestClose(tx)
    const statement: CloseStatement = {
      ...{ type: CLOSE_TYPE, homeDomain: anchor.plan.homeDomain },
      ...{ networkPassphrase: anchor.network.passphrase, distributionAccount: anchor.accounts.distribution },
      ...{ kind, ...days, at: now.toISOString(), by, content: digestOf(content) },
      previous: previous ? digestOf(previous.message) : null,
    }
    const message = JSON.stringify(statement)
    const signature = await sign(deps, message)
    const bounds = { from_day: days.from, to_day: days.to }
    return closeForm(await addClose(tx, { kind, ...bounds, content, message, signature, by }))
  })
}

async function sign({ signStatement }: Deps, message: string): Promise<string | null> {
  if (!signStatement) return null
  const signature = await signStatement(message).catch((error: unknown) => {
    throw unavailable('The signer', error)
  })
  return signature.toString('base64')
}

const notPossible = (why: string) => new Problem('action-not-possible', why)

async function requireClosable(
  deps: Deps,
  tx: Db<Tables>,
  kind: CloseKind,
  { from, to }: { from: string; to: string },
): Promise<void> {
  if (to >= (await journalDay(tx, deps.clock.now())))
    throw notPossible(`The period is not over before the end of ${to}.`)
  const { all, months } = await closedUntil(tx)
  const last = kind === 'day' ? all : months
  if (last !== null && to <= last) throw notPossible(`The journal is closed until ${last} already.`)
  if (kind === 'day' || months === null) return
  const next = new Date(Date.parse(months) + 86_400_000).toISOString().slice(0, 10)
  if (from !== next)
    throw notPossible(`Close ${next.slice(0, 7)} first: months are closed one after the other.`)
}

/** Throws `not-found`. */
export async function closeDocument(deps: Deps, id: string): Promise<Static<typeof CloseDocument>> {
  const row = await findClose(deps.database.db, { id })
  if (!row) throw new Problem('not-found', 'There is no closed period with this id.')
  const { reason: _, ...period } = contentOf(row)
  const { content, message, signature } = row
  const signingKey = deps.config.anchor.accounts.signing
  return { ...closeForm(row), period, content, message, signature, signingKey }
}

export function closeForm(row: JournalClose): ClosedPeriod {
  const { open, reason } = contentOf(row)
  return {
    ...{ id: row.id, kind: row.kind, from: row.from_day, to: row.to_day },
    ...{ open: open.map(({ kind }) => kind), reason },
    ...{ by: row.by, at: row.created_at.toISOString(), sha256: digestOf(row.message) },
    signed: row.signature !== null,
  }
}
