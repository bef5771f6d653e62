import 'reflect-metadata'
import { X509CertificateGenerator } from '@peculiar/x509'

const DAY = 86_400_000

/** Key and self-signed certificate of a host, as PEM. */
export async function certificateOf(host: string, notAfter: Date) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const name = `CN=${host}`
  const notBefore = new Date(notAfter.getTime() - 90 * DAY)
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name, notBefore, notAfter, keys, signingAlgorithm: algorithm },
    crypto,
  )
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`
  return { key, cert: certificate.toString('pem') }
}
