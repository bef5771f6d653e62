import * as contracts from '@windlass/contracts/anchor/registers.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { addEntry, continueEntry, listEntries } from './entries.ts'

export function serveRegisters(on: On, deps: Deps): void {
  on(contracts.listRegister).serve(async ({ params, query, request, reply }) => {
    const found = await listEntries(deps, params.register, query)
    linkNext(request, reply, query, found)
    return found
  })
  on(contracts.addToRegisterAs).serve(async ({ params, body }) =>
    answer(201, await addEntry(deps, params.register, body)),
  )
  on(contracts.addRegisterStepAs).serve(({ params, body }) =>
    continueEntry(deps, params.register, params.id, body),
  )
}
