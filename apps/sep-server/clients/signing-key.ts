import { areClocksDifferent, createServerSigner } from '@windlass/client/signer.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import { comparingClocks } from '@windlass/service/observe/clocks.ts'
import type { ChallengeBytes } from '@windlass/stellar/challenge-bytes.ts'
import { signerFromSeed, verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { signedEnvelope, unsignedEnvelope } from '@windlass/stellar/sep10-challenge.ts'
import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'

/** The anchor's SEP-10 key, wherever it is. Throws `dependency-unavailable` while the signer does not answer, `clocks-differ` where its time is another. */
export interface SigningKey {
  /** `G…` */
  readonly address: string
  /** Signs a challenge. Resolves to the signed envelope, base64 XDR. */
  signChallenge(challenge: ChallengeBytes): Promise<string>
  /** Signs the preimage of an entry of a SEP-45 challenge. */
  signContractChallenge(preimage: Uint8Array): Promise<Buffer>
  /** Signs `time.host.body` (SEP-24 callbacks); `time` in Unix seconds. */
  signCallback(parts: { time: number; host: string; body: string }): Promise<Buffer>
}

export function createSigningKey({ anchor, signing }: Pick<Config, 'anchor' | 'signing'>): SigningKey {
  return 'seed' in signing ? fromSeed(signing.seed) : atSigner(anchor.accounts.signing, signing)
}

function atSigner(address: string, { url, credential }: { url: string; credential: string }): SigningKey {
  const signer = createServerSigner(url, credential, { fetch: comparingClocks('signer') })
  const verifier = verifierFromAddress(address)
  let isProven = false
  const orUnavailable = (cause: unknown): never => {
    if (areClocksDifferent(cause)) throw new Problem('clocks-differ', cause.problem.detail, { cause })
    throw unavailable('The signer', cause)
  }
  return {
    address,
    signChallenge: async challenge => {
      const signature = await signer.challenge(unsignedEnvelope(challenge)).catch(orUnavailable)
      // The signer checks its own; that it has this anchor's key is seen by the first.
      isProven ||= verifier.verify(challenge.hash, signature)
      if (!isProven) throw new Error(`the signature is not one of ${address}`)
      return signedEnvelope(challenge, verifier.hint, signature)
    },
    signContractChallenge: preimage =>
      signer.contractChallenge(Buffer.from(preimage).toString('base64')).catch(orUnavailable),
    signCallback: parts => signer.callback(parts).catch(orUnavailable),
  }
}

function fromSeed(seed: string): SigningKey {
  const signer = signerFromSeed(seed)
  return {
    address: signer.address,
    signChallenge: async challenge => signedEnvelope(challenge, signer.hint, signer.sign(challenge.hash)),
    signContractChallenge: async preimage => signer.sign(createHash('sha256').update(preimage).digest()),
    signCallback: async ({ time, host, body }) => signer.sign(Buffer.from(`${time}.${host}.${body}`)),
  }
}
