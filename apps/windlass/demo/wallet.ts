import { TransactionBuilder, WebAuth } from '@stellar/stellar-sdk'
import { readDiscoveryFile } from '@windlass/stellar/discovery-file.ts'
import { expect, type Founder, made, type Step, type Story } from './story.ts'

export const discover: Step = {
  title: 'Anchor publishes its stellar.toml',
  run: async ({ anchors, first }) => {
    const { homeDomain, signingKey, issuer } = made(first.anchor, 'anchor')
    const { status, text } = await anchors.request(`http://${homeDomain}/.well-known/stellar.toml`)
    expect(status === 200, `the discovery file is answered with ${status}`)
    expect(
      readDiscoveryFile(text).signingKey === signingKey,
      'the discovery file has a different signing key',
    )
    expect(issuer !== undefined && text.includes(issuer), 'the discovery file does not name the issuer')
    return `http://${homeDomain}/.well-known/stellar.toml`
  },
}

export const seeAssetOnTheLedger: Step = {
  title: 'Asset is on the ledger',
  run: async ({ variables, first }) => {
    const { distribution = '', issuer, assetCode } = made(first.anchor, 'anchor')
    const response = await fetch(`${variables.HORIZON_URL}/accounts/${distribution}`)
    expect(response.ok, `Horizon answers ${response.status} for the distribution account`)
    const { balances }: { balances: Record<string, string>[] } = await response.json()
    const holding = balances.find(line => line.asset_code === assetCode && line.asset_issuer === issuer)
    return `${made(holding, `balance of ${assetCode}`).balance} ${assetCode} in the distribution account`
  },
}

export const logInWithWallet: Step = {
  title: 'Wallet signs in (SEP-10)',
  run: async story => {
    const { endpoints, signingKey } = made(story.handoff, 'handoff')
    expect(signingKey === story.first.anchor?.signingKey, 'the handoff names another anchor')
    const token = await tokenAt(story, story.first, endpoints.webAuth)
    const claims: { sub: string; iss: string } = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    )
    expect(claims.sub === story.wallet.publicKey(), `the token is for ${claims.sub}`)
    return `challenge signed with the Stellar SDK → token of ${claims.iss}`
  },
}

/**
 * A SEP-10 token for the demo's wallet; `webAuth` from the handoff, else the anchor's default address. With a new
 * challenge where a clock was set since the first was issued.
 */
export function tokenAt(story: Story, founder: Founder, webAuth?: string | null): Promise<string> {
  const logIn = () => logInAt(story, founder, webAuth)
  return logIn().catch((error: unknown) => {
    if (String(error).includes('expired')) return logIn()
    throw error
  })
}

async function logInAt(story: Story, founder: Founder, webAuth?: string | null): Promise<string> {
  const { anchors, wallet } = story
  const { homeDomain = '', signingKey = '' } = made(founder.anchor, 'anchor')
  const endpoint = webAuth ?? `http://${homeDomain}/auth`
  const asked = await anchors.request(`${endpoint}?account=${wallet.publicKey()}`)
  expect(asked.status === 200, `the challenge is answered with ${asked.status}: ${asked.text}`)
  const challenge: { transaction: string; network_passphrase: string } = JSON.parse(asked.text)
  const { network_passphrase: passphrase } = challenge
  // Throws unless it is a valid challenge of this anchor.
  WebAuth.readChallengeTx(challenge.transaction, signingKey, passphrase, homeDomain, new URL(endpoint).host)
  const transaction = TransactionBuilder.fromXDR(challenge.transaction, passphrase)
  transaction.sign(wallet)
  const answered = await anchors.request(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transaction: transaction.toXDR() }),
  })
  expect(
    answered.status === 200,
    `the signed challenge is answered with ${answered.status}: ${answered.text}`,
  )
  const { token }: { token: string } = JSON.parse(answered.text)
  return token
}
