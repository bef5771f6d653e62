import type { AnchorEvent } from '@windlass/contracts/platform/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { declareEmail, enqueueEmail, type LocalizedEmail, oneLine } from '../mail/email.ts'
import type { PlatformDb } from '../tables.ts'
import { ownerEmails } from '../operators/organizations.ts'
import { lockAnchor } from './anchors.ts'

/**
 * Records what happened to an anchor, once for each id, and emails its organization's owners where they need to know.
 * Throws `anchor-not-found`.
 */
export async function recordEvent(deps: Deps, anchorId: string, event: AnchorEvent): Promise<void> {
  await deps.database.db.transaction().execute(tx => recordEventIn(deps, tx, anchorId, event))
}

/** As {@link recordEvent}, in the caller's transaction; it writes to the audit log, so it comes last. */
export async function recordEventIn(
  deps: Pick<Deps, 'sealer' | 'clock'>,
  tx: PlatformDb,
  anchorId: string,
  event: AnchorEvent,
): Promise<void> {
  const anchor = await lockAnchor(tx, anchorId)
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  const { id, kind, detail, at } = event
  const added = await tx
    .insertInto('anchor_events')
    .values({ id, anchor_id: anchorId, kind, detail, at: new Date(at) })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows !== 1n) return
  const email = eventEmail(anchor.plan, event)
  if (email) {
    for (const owner of await ownerEmails(tx, anchor.organization_id))
      await enqueueEmail(tx, deps.sealer, `anchor-event:${id}:${owner}`, owner, email)
  }
  const act = {
    actor: 'system',
    action: `anchor.${kind}`,
    subject: `anchor:${anchorId}`,
    details: { detail },
  }
  await record(tx, act, deps.clock.now())
}

export async function findEvents(db: PlatformDb, anchorId: string, start: PageStart | null, limit: number) {
  let query = db
    .selectFrom('anchor_events')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (start) query = query.where(sql<boolean>`(at, id) < (${start.createdAt}, ${start.id})`)
  const rows = await query.execute()
  return rows.map(({ id, at, kind, detail }) => ({
    id,
    createdAt: at,
    event: { id, kind, detail, at: at.toISOString() },
  }))
}

interface EventEmail {
  organization: string
  homeDomain: string
  assetCode: string
  detail: string
}

const sample: EventEmail = {
  organization: 'Sample Payments Ltd',
  homeDomain: 'sample.anchors.example',
  assetCode: 'SMPL',
  detail: 'A sample of what the platform recorded.',
}

const ledgerResetEmail = declareEmail<EventEmail>({
  name: 'ledger-reset',
  recipients: ['operator'],
  sample,
  texts: {
    en: ({ organization, homeDomain, assetCode, detail }) => ({
      subject: `The test network was reset: ${organization} was restored`,
      paragraphs: [
        'Hello,',
        `The accounts of ${homeDomain} were missing from the ledger, as happens when a test network is reset. They are funded and ${assetCode} is issued again, with the same keys.`,
        'Balances and trustlines of customers on the old ledger are lost.',
      ],
      footnote: detail,
    }),
    es: ({ organization, homeDomain, assetCode, detail }) => ({
      subject: `La red de pruebas se reinició: ${organization} está restaurado`,
      paragraphs: [
        'Hola:',
        `Las cuentas de ${homeDomain} faltaban en la red, como ocurre cuando una red de pruebas se reinicia. Tienen fondos y ${assetCode} está emitido de nuevo, con las mismas claves.`,
        'Los saldos y las líneas de confianza de los clientes en la red anterior se perdieron.',
      ],
      footnote: detail,
    }),
  },
})

const removedEmail = declareEmail<EventEmail>({
  name: 'anchor-removed',
  recipients: ['operator'],
  sample,
  texts: {
    en: ({ organization, homeDomain, detail }) => ({
      subject: `${organization}'s anchor was removed`,
      paragraphs: [
        'Hello,',
        `The anchor at ${homeDomain} was removed by an administrator: its servers are stopped and payments are no longer routed to it. Its data was exported first, and its keys are archived.`,
      ],
      footnote: detail,
    }),
    es: ({ organization, homeDomain, detail }) => ({
      subject: `El anchor de ${organization} se retiró`,
      paragraphs: [
        'Hola:',
        `Un administrador retiró el anchor en ${homeDomain}: sus servidores están detenidos y ya no se le dirigen pagos. Antes se exportaron sus datos, y sus claves están archivadas.`,
      ],
      footnote: detail,
    }),
  },
})

/** The email to an anchor's owners about an event; null where they need none. */
function eventEmail(plan: AnchorPlan, { kind, detail }: AnchorEvent): LocalizedEmail | null {
  const organization = oneLine(plan.organizationName)
  const data = { organization, homeDomain: plan.homeDomain, assetCode: plan.asset.code, detail }
  if (kind === 'ledger-reset') return ledgerResetEmail(data)
  if (kind === 'removed') return removedEmail(data)
  return null
}

/** When the anchor's accounts were last found missing from the ledger. */
export async function lastLedgerReset(db: PlatformDb, anchorId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('anchor_events')
    .select(({ fn }) => fn.max('at').as('at'))
    .where('anchor_id', '=', anchorId)
    .where('kind', '=', 'ledger-reset')
    .executeTakeFirst()
  return row?.at ?? null
}

/** Removes what happened three years ago: the audit log has it too. Resets of the ledger are asked for again. */
export async function pruneEvents(db: PlatformDb): Promise<void> {
  await sql`delete from anchor_events where kind <> 'ledger-reset' and at < now() - interval '3 years'`.execute(
    db,
  )
}
