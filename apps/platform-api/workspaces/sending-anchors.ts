import * as agreements from '@windlass/contracts/anchor/sending-anchors.ts'
import * as contracts from '@windlass/contracts/platform/workspace-sending-anchors.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { anchorServerOf, fromAnchor } from './anchor-server.ts'

interface Acting {
  userId: string
}

/** An anchor's agreements with others that send direct payments, which its business server keeps. Changes are recorded. */
export function sendingAnchorRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  const audit = async (
    { userId }: Acting,
    anchorId: string,
    action: string,
    details: Record<string, unknown>,
  ) => {
    const act = { actor: `operator:${userId}`, action, subject: `anchor:${anchorId}`, details }
    await db.transaction().execute(tx => record(tx, act, deps.clock.now()))
  }

  on(contracts.listWorkspaceSendingAnchors).serve(async ({ params: { anchorId }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    return fromAnchor(server.call(agreements.listSendingAnchors))
  })
  on(contracts.putWorkspaceSendingAnchor).serve(
    async ({ params: { anchorId, account }, body, principal }) => {
      const server = await anchorServerOf(deps, principal.userId, anchorId)
      const agreed = await fromAnchor(
        server.call(agreements.putSendingAnchorAs, { params: { account }, body }),
      )
      await audit(principal, anchorId, 'sending-anchor.agreed', {
        account,
        name: agreed.name,
        tier: agreed.tier,
      })
      return agreed
    },
  )
  on(contracts.deleteWorkspaceSendingAnchor).serve(async ({ params: { anchorId, account }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    await fromAnchor(server.call(agreements.deleteSendingAnchorAs, { params: { account } }))
    await audit(principal, anchorId, 'sending-anchor.ended', { account })
    return answer(204, undefined)
  })
}
