import * as contracts from '@windlass/contracts/anchor/travel-messages.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import { clientNetwork } from '@windlass/service/http/client-address.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { findProvider, hasCertificateOf } from '../../people/travel-providers/directory.ts'
import type { Deps } from '../../deps.ts'
import type { Tables, TravelInquiryRow } from '../../tables.ts'
import { decideInquiry, takeAnswer, takeEnding } from './exchange.ts'
import { inquiryForm, listInquiries, lockInquiry } from './inquiries.ts'
import { type FindWithdrawal, receiveInquiry } from './receive.ts'
import { readEnding, readResolution, TRP_VERSION } from './trp.ts'

/** Messages of one client in an hour. */
const MESSAGES_AN_HOUR = 600

export function serveTravelMessages(on: On, deps: Deps, findWithdrawal: FindWithdrawal): void {
  const { db, pool } = { ...deps.database }
  const rate = createRate(pool, 'travel-messages', MESSAGES_AN_HOUR, 3600)
  on(contracts.listTravelInquiries).serve(async ({ query, request, reply }) => {
    const rows = await listInquiries(db, query)
    linkNext(
      request,
      reply,
      query,
      rows.map(row => ({ createdAt: row.created_at, id: row.id })),
    )
    return rows.map(row => inquiryForm(deps.sealer, row))
  })
  on(contracts.decideTravelInquiryAs).serve(({ params, body }) => decideInquiry(deps, params.id, body))
  on(contracts.receiveTravelInquiry).serve(async ({ body, request }) => {
    await rate.demandQuietly(request.clientAddress)
    const number = requestOf(request.headers)
    const said = await receiveInquiry(
      deps,
      {
        ...{ request: number, client: clientNetwork(request.clientAddress) },
        certificate: request.clientCertificate,
      },
      body,
      findWithdrawal,
    )
    return answer(200, said, { headers: headersOf(number) })
  })
  type Act = (tx: Db<Tables>, row: TravelInquiryRow) => Promise<void>
  const locked = (id: string, { clientCertificate }: FastifyRequest, act: Act) =>
    db.transaction().execute(async tx => {
      const row = await lockInquiry(tx, id)
      if (!row) throw new Problem('not-found', 'There is no inquiry with this id.')
      const provider = await findProvider(tx, row.provider_id)
      // Whose certificates went with the entry proves nothing any more.
      if (!provider)
        throw new Problem('validation-failed', 'The provider of this inquiry is not known any more.')
      if (!hasCertificateOf(provider, clientCertificate))
        throw new Problem('validation-failed', 'The certificate of the client is none of this provider.')
      await act(tx, row)
    })
  on(contracts.receiveTravelAnswer).serve(async ({ params, body, request }) => {
    await rate.demandQuietly(request.clientAddress)
    const number = requestOf(request.headers)
    const said = readResolution(body)
    if (!said) throw invalid('body', 'approved or rejected is needed')
    await locked(params.id, request, async (tx, row) => {
      await takeAnswer(deps, tx, row, said)
    })
    deps.wake.emit('ledgerPayments')
    return answer(204, undefined, { headers: headersOf(number) })
  })
  on(contracts.receiveTravelConfirmation).serve(async ({ params, body, request }) => {
    await rate.demandQuietly(request.clientAddress)
    const number = requestOf(request.headers)
    const said = readEnding(body)
    if (!said) throw invalid('body', 'txid or canceled is needed')
    await locked(params.id, request, (tx, row) => takeEnding(deps, tx, row, said))
    return answer(204, undefined, { headers: headersOf(number) })
  })
}

/** The number of a message, whose version is checked. */
function requestOf(headers: IncomingHttpHeaders): string {
  const { 'api-version': version, 'request-identifier': number } = headers
  if (typeof version !== 'string' || !version.startsWith('3.'))
    throw invalid('api-version', `must be of version 3, such as ${TRP_VERSION}`)
  if (typeof number !== 'string' || !/^[\w.:-]{1,100}$/.test(number))
    throw invalid('request-identifier', 'must have 1 to 100 letters, digits and -_.:')
  return number
}

const headersOf = (number: string) => ({ 'api-version': TRP_VERSION, 'request-identifier': number })
