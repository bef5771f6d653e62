import type { PasskeyCredential } from '@windlass/contracts/platform/second-factors.ts'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

type Options = Record<string, unknown>

/** An authenticator in software, as a browser on `origin` speaks with it (WebAuthn level 3, ES256, no attestation). */
export function softAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  const rpId = new URL(origin).hostname
  let counter = 0

  const clientData = (type: string, { challenge }: Options, from = origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const head = (flags: number) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
  }
  const credential = (response: PasskeyCredential['response']): PasskeyCredential => {
    const name = id.toString('base64url')
    return { id: name, rawId: name, type: 'public-key', response }
  }
  return {
    create(options: Options): PasskeyCredential {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const [xBytes, yBytes] = [x, y].map(text => Buffer.from(text, 'base64url'))
      const key = Buffer.concat([hex('a5010203262001215820'), xBytes!, hex('225820'), yBytes!])
      const data = Buffer.concat([head(0x45), Buffer.alloc(16), hex('0020'), id, key])
      // CBOR: {fmt: "none", attStmt: {}, authData: bytes}
      const length = Buffer.from([data.length])
      const attestation = Buffer.concat([
        hex('a363666d74646e6f6e656761747453746d74a06861757468446174615' + '8'),
        length,
        data,
      ])
      return credential({
        clientDataJSON: clientData('webauthn.create', options).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    /** `from`: the origin of a page that only pretends to be ours. `count`: of a copy of the key. */
    use(options: Options, { from, count }: { from?: string; count?: number } = {}): PasskeyCredential {
      if (count !== undefined) counter = count - 1
      const data = head(0x05)
      const client = clientData('webauthn.get', options, from)
      const hash = createHash('sha256').update(client).digest()
      const signature = sign('sha256', Buffer.concat([data, hash]), privateKey)
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      })
    },
  }
}

const hex = (text: string) => Buffer.from(text, 'hex')
