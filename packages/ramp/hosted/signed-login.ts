/*
 * The other end of the aggregator's `/signed-logins`: a wallet that signs by SEP-7 sends the challenge there, encrypted for
 * this page alone.
 */

const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const
const POINT_BYTES = 65
const VECTOR_BYTES = 12
const ASKED_EACH_MS = 2_000

/** A place that waits for one signed challenge. */
interface LoginPlace {
  /** Where the wallet sends it. */
  callback: string
  /** The signed challenge. Throws {@link LoginEnded} once it can come no more, or the signal's reason. */
  collect(signal: AbortSignal): Promise<string>
}

/** Five minutes have passed, or it was collected elsewhere. */
export class LoginEnded extends Error {}

/** Opens a place for the challenge with this hash. */
export async function openPlace(
  challengeHash: string,
  networkPassphrase: string,
  signal: AbortSignal,
): Promise<LoginPlace> {
  const keys = await crypto.subtle.generateKey(CURVE, false, ['deriveBits'])
  const publicKey = toText(new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey)))
  const asked = { challengeHash, networkPassphrase, publicKey }
  const place = await send<{ id: string; secret: string; callback: string }>('/signed-logins', asked, signal)
  const { id, secret, callback } = place
  return {
    callback,
    collect: async waiting => {
      for (;;) {
        await pause(ASKED_EACH_MS, waiting)
        const sealed = await ask(id, secret, waiting)
        if (sealed !== null) return open(keys.privateKey, id, toBytes(sealed))
      }
    },
  }
}

/** Null: it has not come, or there was no answer. A phone loses its connection while someone is in their wallet. */
async function ask(id: string, secret: string, signal: AbortSignal): Promise<string | null> {
  try {
    const path = `/signed-logins/${id}/collection`
    return (await send<{ sealed: string | null }>(path, { secret }, signal)).sealed
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof LoginEnded) throw error
    return null
  }
}

async function send<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  if (answer.status === 404) throw new LoginEnded()
  const read = (await answer.json()) as T & { detail?: string }
  if (!answer.ok) throw new Error(read.detail ?? String(answer.status))
  return read
}

async function open(privateKey: CryptoKey, id: string, sealed: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = crypto
  const point = await subtle.importKey('raw', sealed.slice(0, POINT_BYTES), CURVE, false, [])
  const shared = await subtle.deriveBits({ name: 'ECDH', public: point }, privateKey, 256)
  const info = new TextEncoder().encode(`windlass signed login ${id}`)
  const key = await subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info },
    await subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey']),
    { name: 'AES-GCM', length: 256 },
    false,
    ['decrypt'],
  )
  const body = sealed.slice(POINT_BYTES + VECTOR_BYTES)
  const iv = sealed.slice(POINT_BYTES, POINT_BYTES + VECTOR_BYTES)
  return new TextDecoder().decode(await subtle.decrypt({ name: 'AES-GCM', iv }, key, body))
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

const toText = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0))
