import { TransactionBuilder, WebAuth } from '@stellar/stellar-sdk'
import { readDiscoveryFile } from '@windlass/stellar/discovery-file.ts'
import { expect, made, type Step } from './story.ts'

export const discover: Step = {
  title: 'The anchor describes itself',
  run: async ({ anchors, first }) => {
    const { homeDomain, signingKey, issuer } = made(first.anchor, 'anchor')
    const { status, text } = await anchors.request(`http://${homeDomain}/.well-known/stellar.toml`)
    expect(status === 200, `the discovery file answers ${status}`)
    expect(readDiscoveryFile(text).signingKey === signingKey, 'the discovery file has another signing key')
    expect(issuer !== undefined && text.includes(issuer), 'the discovery file does not name the issuer')
    return `http://${homeDomain}/.well-known/stellar.toml`
  },
}

export const seeAssetOnTheLedger: Step = {
  title: 'The asset is on the ledger',
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
  title: 'A wallet logs in (SEP-10)',
  run: async ({ anchors, handoff, wallet }) => {
    const { endpoints, signingKey, homeDomain } = made(handoff, 'handoff')
    const webAuth = made(endpoints.webAuth, 'WEB_AUTH_ENDPOINT')
    const serverKey = made(signingKey, 'SIGNING_KEY')
    const asked = await anchors.request(`${webAuth}?account=${wallet.publicKey()}`)
    expect(asked.status === 200, `the challenge answers ${asked.status}: ${asked.text}`)
    const challenge: { transaction: string; network_passphrase: string } = JSON.parse(asked.text)
    const { network_passphrase: passphrase } = challenge
    const webAuthDomain = new URL(webAuth).host
    WebAuth.readChallengeTx(challenge.transaction, serverKey, passphrase, homeDomain, webAuthDomain)
    const transaction = TransactionBuilder.fromXDR(challenge.transaction, passphrase)
    transaction.sign(wallet)
    const answered = await anchors.request(webAuth, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ transaction: transaction.toXDR() }),
    })
    expect(answered.status === 200, `the signed challenge answers ${answered.status}: ${answered.text}`)
    const { token }: { token: string } = JSON.parse(answered.text)
    const claims: { sub: string; iss: string } = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    )
    expect(claims.sub === wallet.publicKey(), `the token is for ${claims.sub}`)
    return `challenge signed with the Stellar SDK → token of ${claims.iss}`
  },
}
