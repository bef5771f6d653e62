import { ProblemError } from '@windlass/client/client.ts'
import { requestCodeAtAnchor, signInAtAnchor } from '@windlass/contracts/internal/internal.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { type AccountKey, generateKey } from '@windlass/stellar/keys.ts'
import { buildChallenge, signChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { activeAnchor } from './anchors.ts'
import { answerRoot, type TestApp } from './app.ts'
import { mailedCode, signInOperator } from './sign-in.ts'

/** Horizon, which knows no account, and the anchors' business servers, which keep what is sent to them. */
export async function startOutside() {
  const received: { body: string; headers: IncomingMessage['headers'] }[] = []
  const server: Server = createServer((request, response) => {
    if (answerRoot(request, response)) return
    if (request.method !== 'POST') return void response.writeHead(404).end('{}')
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      received.push({ body, headers: request.headers })
      response.end('{}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, received, stop: () => server.close() }
}

/** An active anchor with a signing key of its own, at which wallets log in. */
export async function anchorOf(app: TestApp, name: string, apiUrl: string) {
  const operator = await signInOperator(app, `${name}@operator.example`)
  const anchor = await activeAnchor(app, operator.user.id, name)
  const signing = generateKey()
  const row = { signing_key: signing.publicKey, api_url: apiUrl }
  await app.database.db.updateTable('anchors').set(row).where('id', '=', anchor.id).execute()
  const homeDomain = `${name}.anchors.localhost`
  const terms = {
    server: signing.publicKey,
    networkPassphrase: app.config.network.passphrase,
    homeDomain,
    webAuthDomain: homeDomain,
  }
  /** What a wallet signs to log in at the anchor. */
  const loginOf = (wallet: AccountKey): string => {
    const request = { account: wallet.publicKey }
    const challenge = buildChallenge(signerFromSeed(signing.secret), terms, request, app.clock.now())
    return signChallenge(challenge, terms.networkPassphrase, signerFromSeed(wallet.secret))
  }
  return { ...anchor, homeDomain, loginOf }
}
export type TestAnchor = Awaited<ReturnType<typeof anchorOf>>

/** What the anchor's server says of the account that signs in. */
interface SigningIn {
  account?: string
  memo?: string
  address?: string
  login?: string
}

/** What an honest anchor sends of a wallet that logged in there. */
export const walletAt = (anchor: TestAnchor, wallet: AccountKey): SigningIn => ({
  account: wallet.publicKey,
  address: wallet.publicKey,
  login: anchor.loginOf(wallet),
})

/** The customer enters the emailed code on the anchor's page. */
export async function comesTo(app: TestApp, anchor: TestAnchor, email: string, wallet: SigningIn = {}) {
  const { account, memo } = wallet
  const named = { ...(account ? { account } : {}), ...(memo ? { memo } : {}) }
  await anchor.client.call(requestCodeAtAnchor, { body: { email, ...named } })
  const code = await mailedCode(app, email)
  return anchor.client.call(signInAtAnchor, { body: { email, code, ...wallet } })
}

/** `done`, or the status and code of the problem. */
export const problemOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ProblemError ? `${error.status} ${error.problem.code}` : String(error),
  )
