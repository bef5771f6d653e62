import { getSettings, setSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { OutboxMessage } from '@windlass/service/work/outbox.ts'
import { findAnchor } from '../anchors/anchors.ts'
import { announcement, findStanding } from '../anchors/wind-down.ts'
import type { Deps } from '../deps.ts'
import { clientOfAnchor, fromAnchor } from './anchor-server.ts'

/** Tells customers of an anchor that it closes: new deposits are paused with that message, and withdrawals go on. */
export function announceClosing(deps: Deps) {
  return async ({ payload }: OutboxMessage): Promise<void> => {
    const { anchorId, windDownId } = payload as { anchorId: string; windDownId: string }
    const { db } = deps.database
    const [anchor, closing] = [await findAnchor(db, anchorId), await findStanding(db, anchorId)]
    if (!anchor || closing?.id !== windDownId || closing.state !== 'announced') return
    const server = clientOfAnchor(deps, anchor)
    const { history } = await fromAnchor(server.call(getSettings))
    const [now] = history
    const deposits = announcement(closing)
    if (!now || now.settings.paused.deposits === deposits) return
    const settings = { ...now.settings, paused: { ...now.settings.paused, deposits } }
    const by = closing.decided_by ?? 'system'
    await fromAnchor(server.call(setSettings, { body: { settings, version: now.version, by } }))
  }
}
