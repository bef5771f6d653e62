import {
  deleteTravelProviderAs,
  listTravelProviders,
  putTravelProviderAs,
} from '@windlass/contracts/anchor/travel-messages.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { deleteProvider, listDirectory, putProvider } from './directory.ts'
import { travelAddressOf } from './travel-address.ts'

export function serveTravelProviders(on: On, deps: Deps): void {
  const { db } = deps.database
  on(listTravelProviders).serve(async () => ({
    travelAddress: travelAddressOf(`${deps.config.anchor.publicUrl}/api/v1/trp/inquiries`),
    providers: await listDirectory(deps),
  }))
  on(putTravelProviderAs).serve(({ params: { id }, body }) => putProvider(deps, id, body))
  on(deleteTravelProviderAs).serve(async ({ params: { id } }) => {
    await deleteProvider(db, id)
    return answer(204, undefined)
  })
}
