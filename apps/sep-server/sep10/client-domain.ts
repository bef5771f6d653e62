import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { parse } from 'smol-toml'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'

const HOST =
  /^(?=.{1,64}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*(:\d{1,5})?$/i

/** The SIGNING_KEY in the discovery file of a wallet's domain. Throws 400 if it cannot be read. */
export async function clientSigningKey({ outbound, config, logger }: Deps, domain: string): Promise<string> {
  if (!HOST.test(domain)) throw badRequest('client_domain must be a host name of at most 64 characters')
  const address = `${config.local ? 'http' : 'https'}://${domain}/.well-known/stellar.toml`
  try {
    const { status, text } = await outbound.request(address, { maxBytes: 100 * 1024 })
    if (status !== 200) throw new Error(`answered ${status}`)
    const key = parse(text).SIGNING_KEY
    if (typeof key !== 'string') throw new Error('has no SIGNING_KEY')
    return verifierFromAddress(key).address
  } catch (cause) {
    logger.info({ domain, err: cause }, 'a client domain could not be read')
    throw badRequest(`the SIGNING_KEY of client_domain ${domain} cannot be read`)
  }
}
