import {
  deleteSendingAnchor,
  deleteSendingAnchorAs,
  listSendingAnchors,
  putSendingAnchor,
  putSendingAnchorAs,
} from '@windlass/contracts/anchor/sending-anchors.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import {
  deleteSendingAnchor as remove,
  listSendingAnchors as list,
  putSendingAnchor as put,
} from './agreements.ts'

export function serveSendingAnchors(on: On, deps: Deps): void {
  on(listSendingAnchors).serve(async ({ query, request, reply }) => {
    const found = await list(deps.database.db, query)
    const rows = found.map(({ account: id, createdAt }) => ({ id, createdAt }))
    linkNext(request, reply, query, rows)
    return found
  })
  on(putSendingAnchor).serve(({ params, body }) => put(deps, params.account, body))
  on(putSendingAnchorAs).serve(({ params, body }) => put(deps, params.account, body))
  const end = async ({ params }: { params: { account: string } }) => {
    await remove(deps.database.db, params.account)
    return answer(204, undefined)
  }
  on(deleteSendingAnchor).serve(end)
  on(deleteSendingAnchorAs).serve(end)
}
