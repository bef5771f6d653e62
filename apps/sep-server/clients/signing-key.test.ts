import { signChallenge } from '@windlass/contracts/internal/signer.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { prepareChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { Keypair } from '@stellar/stellar-sdk/base'
import { afterEach, expect, it } from 'vitest'
import { createSigningKey } from './signing-key.ts'

let signer: Server | undefined
afterEach(() => signer?.close())

it('says that clocks differ where the signer says it, and not that the signer is away', async () => {
  signer = await createServer({
    name: 'signer',
    logger: createLogger('signer', 'silent'),
    guards: { 'anchor-server': async () => ({ anchorId: 'lotus', server: 'sep' }) as never },
  })
  const detail = "The server's clock is 400 s ahead of the signer's."
  signer.on(signChallenge).serve(() => {
    throw new Problem('clocks-differ', detail)
  })
  const url = `http://127.0.0.1:${await signer.listen(0, '127.0.0.1')}`
  const account = Keypair.random().publicKey()
  const terms = { server: account, networkPassphrase: 'n', homeDomain: 'a.test', webAuthDomain: 'a.test' }
  const given = { anchor: { accounts: { signing: account } }, signing: { url, credential: 'c' } }
  const key = createSigningKey(given as never)
  const challenge = prepareChallenge(account, terms, { account }, new Date())
  await expect(key.signChallenge(challenge)).rejects.toMatchObject({ code: 'clocks-differ', message: detail })
  await signer.close()
  await expect(key.signChallenge(challenge)).rejects.toMatchObject({ code: 'dependency-unavailable' })
})
