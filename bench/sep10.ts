import { Keypair, TransactionBuilder, WebAuth } from '@stellar/stellar-sdk'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { buildChallenge, checkSigners, readChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { report } from './stand/report.ts'
import { repeats, size } from './stand/run.ts'

/*
 * A SEP-10 server's work for one login, challenge and answer, against the SDK's own WebAuth functions doing the same.
 * The wallet's part is left out of both. Also against what cannot be avoided: one signature and two checks of
 * node:crypto.
 */
const ROUNDS = repeats(5, 3, 1)
const LOGINS = size(60, 3)

const server = Keypair.random()
const signer = signerFromSeed(server.secret())
const wallet = Keypair.random()
const passphrase = 'Test SDF Network ; September 2015'
const domain = 'mumbai.anchors.localhost'
const terms = {
  server: server.publicKey(),
  networkPassphrase: passphrase,
  homeDomain: domain,
  webAuthDomain: domain,
}
const signers = [{ key: wallet.publicKey(), weight: 1, type: 'ed25519_public_key' }]

/** What the wallet brings back, made before the clock runs. */
const answers = Array.from({ length: LOGINS }, () => {
  const challenge = buildChallenge(signer, terms, { account: wallet.publicKey() }, new Date())
  const transaction = TransactionBuilder.fromXdr(challenge, passphrase)
  transaction.sign(wallet)
  return transaction.toXdr()
})

function ours(answer: string): void {
  buildChallenge(signer, terms, { account: wallet.publicKey() }, new Date())
  checkSigners(readChallenge(answer, terms, new Date()), server.publicKey(), signers, 1)
}

function theirs(answer: string): void {
  WebAuth.buildChallengeTx(server, wallet.publicKey(), domain, 900, passphrase, domain)
  WebAuth.verifyChallengeTxThreshold(answer, server.publicKey(), passphrase, 1, signers, domain, domain)
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const hash = Buffer.alloc(32, 7)
const signature = sign(null, hash, privateKey)

function bare(): void {
  sign(null, hash, privateKey)
  verify(null, hash, publicKey, signature)
  verify(null, hash, publicKey, signature)
}

function perSecond(login: (answer: string) => void): number {
  const start = performance.now()
  for (const answer of answers) login(answer)
  return (LOGINS / (performance.now() - start)) * 1000
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const rates = { ours: [] as number[], theirs: [] as number[], bare: [] as number[] }
for (const login of [ours, theirs, bare]) perSecond(login)
for (let round = 0; round < ROUNDS; round++) {
  rates.ours.push(perSecond(ours))
  rates.theirs.push(perSecond(theirs))
  rates.bare.push(perSecond(bare))
}
console.log('SEP-10: challenge and answer, on one core')
console.log(`  Windlass             ${median(rates.ours).toFixed(0)}/s`)
console.log(`  SDK's WebAuth        ${median(rates.theirs).toFixed(0)}/s`)
console.log(`  bare sign + 2 checks ${median(rates.bare).toFixed(0)}/s`)
report("sep10: logins/s of the SDK's WebAuth", median(rates.ours) / median(rates.theirs), { atLeast: 2 })
console.log(`        ${(median(rates.ours) / median(rates.bare)).toFixed(2)} × of the bare signatures`)
