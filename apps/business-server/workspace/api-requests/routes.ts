import { listApiRequests, type ApiRequest } from '@windlass/contracts/anchor/api-requests.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import type { ApiRequestsTable } from './tables.ts'

export function serveApiRequests(on: On, { database: { db } }: Deps): void {
  on(listApiRequests).serve(async ({ query, request, reply }) => {
    const start = pageStart(query)
    const rows = await db
      .selectFrom('api_requests')
      .selectAll()
      .$if(start !== null, rest => rest.where(after(start!)))
      .$if(query.keyId !== undefined, rest => rest.where('key_id', '=', query.keyId!))
      .$if(query.failed === true, rest => rest.where('status', '>=', 400))
      .$if(query.failed === false, rest => rest.where('status', '<', 400))
      .orderBy('created_at', 'desc')
      .orderBy(order => order.cast('id', 'text'), 'desc')
      .limit(pageSize(query))
      .execute()
    linkNext(request, reply, query, rows)
    return rows.map(apiRequest)
  })
}

const apiRequest = (row: Selectable<ApiRequestsTable>): ApiRequest => ({
  id: row.id,
  at: row.created_at.toISOString(),
  keyId: row.key_id,
  method: row.method,
  path: row.path,
  status: row.status,
  durationMs: row.duration_ms,
  requestId: row.request_id,
})
