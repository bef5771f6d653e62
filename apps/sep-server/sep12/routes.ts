import {
  deleteSep12Customer,
  getSep12Customer,
  listSep12Files,
  postSep12File,
  putSep12Callback,
  putSep12Customer,
  putSep12Verification,
} from '@windlass/contracts/wallet/sep12.ts'
import type { Sep12File } from '@windlass/contracts/wallet/sep12.ts'
import { muxedParts } from '@windlass/stellar/addresses.ts'
import { clientNetwork } from '@windlass/service/http/client-address.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { inLanguage } from '../requests/language.ts'
import { ignoreFile, readFields, readUploads } from '../requests/form.ts'
import {
  customerKey,
  deleteCustomer,
  demandChange,
  putCustomer,
  readCustomer,
  setCallback,
  verifyCustomer,
} from './customers.ts'
import { createUploads, storeFile, listFiles } from './files.ts'

/** Without a proxy that proves itself, every request seems to come from it. */
const provenClient = ({ config }: Deps, { clientAddress }: FastifyRequest): string | undefined =>
  config.proxySecret === undefined ? undefined : clientAddress

export function serveSep12(on: On, deps: Deps): void {
  on(getSep12Customer).serve(async ({ principal, query }) => {
    const key = customerKey(principal, query)
    // What a transaction waits for is another matter than what a sending anchor told.
    const answer = await readCustomer(deps, key.transaction_id ? key : { ...key, or_described: 'true' })
    return inLanguage(query.lang, answer)
  })
  on(putSep12Customer).serve(async ({ principal, request }) => {
    const uploads = createUploads(deps, principal, request.clientAddress)
    try {
      const texts = await readUploads(request, uploads.take)
      await demandChange(deps, principal, texts, request.clientAddress)
      return await putCustomer(deps, principal, { texts, files: uploads.files }, provenClient(deps, request))
    } catch (error) {
      await uploads.drop()
      throw error
    }
  })
  on(putSep12Verification).serve(async ({ principal, raw, request }) => {
    const texts = await readFields(request, raw)
    await demandChange(deps, principal, texts, request.clientAddress)
    return verifyCustomer(deps, principal, texts, provenClient(deps, request))
  })
  on(putSep12Callback).serve(async ({ principal, raw, request }) => {
    const { url, ...given } = await readFields(request, raw)
    if (!url) throw badRequest('url is required')
    await setCallback(deps, customerKey(principal, given), url)
    return {}
  })
  on(postSep12File).serve(async ({ principal, request }) => {
    let stored: Sep12File | undefined
    await readUploads(request, async (name, bytes) => {
      if (name !== 'file') return ignoreFile(name, bytes)
      stored = await storeFile(deps, principal, bytes, clientNetwork(request.clientAddress))
    })
    if (!stored) throw badRequest('file is required, as multipart/form-data')
    return stored
  })
  on(listSep12Files).serve(({ principal, query }) => listFiles(deps, principal, query))
  on(deleteSep12Customer).serve(async ({ principal, params, raw, request }) => {
    const given = await readFields(request, raw)
    const own = params.account === muxedParts(principal.account)?.base ? principal.account : params.account
    const { kept, until } = await deleteCustomer(deps, customerKey(principal, { ...given, account: own }))
    return until === null ? {} : { kept, until }
  })
}
