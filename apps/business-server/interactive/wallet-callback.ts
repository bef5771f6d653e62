import type { Deps } from '../deps.ts'

/**
 * A wallet may append where it wants to hear of its transaction (SEP-24 `callback`, `on_change_callback`): the SEP
 * server, which holds the signing key, tells it of every change. Anything but a web address is ignored.
 */
export async function tellWalletAt(
  { platform, logger }: Deps,
  transactionId: string,
  address: string | undefined,
): Promise<void> {
  if (!address || address.length > 500 || !URL.canParse(address)) return
  if (!/^https?:$/.test(new URL(address).protocol)) return
  const params = { transaction_id: transactionId, url: address }
  const call = { id: `callback:${transactionId}`, method: 'set_wallet_callback', params }
  await platform
    .send([call])
    .catch((error: unknown) => logger.warn({ err: error }, 'a callback was not noted'))
}
