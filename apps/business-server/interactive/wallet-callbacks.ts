import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import { setPagePosts } from '../transfers/change.ts'

const callbackKinds = ['callback', 'on_change_callback'] as const
type Callbacks = { [kind in (typeof callbackKinds)[number]]?: string }

/** Where the wallet wants to learn of its transaction: by a message of the page, or at an address. Throws 400. */
export function readCallbacks({ config }: Deps, query: Readonly<Record<string, unknown>>): Callbacks {
  const schemes = new URL(config.anchor.publicUrl).protocol === 'http:' ? ['http:', 'https:'] : ['https:']
  const callbacks: Callbacks = {}
  for (const kind of callbackKinds) {
    const given = query[kind]
    if (given === undefined || given === '') continue
    const url =
      typeof given === 'string' && given.length <= 500 && URL.canParse(given) ? new URL(given) : null
    const isAddress = url !== null && schemes.includes(url.protocol) && !url.username && !url.password
    if (given !== 'postMessage' && !isAddress)
      throw new Problem(
        'validation-failed',
        `${kind} must be postMessage or an address that begins with ${schemes.join('// or ')}//`,
      )
    callbacks[kind] = url?.href ?? 'postMessage'
  }
  return callbacks
}

export async function setCallbacks(deps: Deps, id: string, callbacks: Callbacks): Promise<void> {
  const { callback, on_change_callback: onChange } = callbacks
  if (callback === 'postMessage') await setPagePosts(deps.database.db, id, { callback })
  if (onChange === 'postMessage') await setPagePosts(deps.database.db, id, { posts_changes: true })
  for (const kind of callbackKinds) {
    const url = callbacks[kind]
    if (url && url !== 'postMessage') await setWalletCallback(deps, id, kind, url)
  }
}

/**
 * Wallets may append an address that is called once when the flow is finished (SEP-24 `callback`), or at every change
 * (`on_change_callback`). The SEP server, which holds the signing key, sends them.
 */
async function setWalletCallback(
  { sepServer, logger }: Deps,
  transactionId: string,
  kind: keyof Callbacks,
  url: string,
): Promise<void> {
  const params = { transaction_id: transactionId, kind, url }
  const call = { id: `${kind}:${transactionId}`, method: 'set_wallet_callback', params }
  await sepServer
    .send([call])
    .catch((error: unknown) => logger.warn({ err: error }, 'a callback address was not stored'))
}
