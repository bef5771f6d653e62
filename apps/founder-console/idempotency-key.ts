import { useRef } from 'react'

/**
 * The `Idempotency-Key` for what is sent: the same again (an answer lost on the way, an impatient finger) keeps
 * its key and is done once; changed, it is another request.
 */
export function useIdempotencyKey(): (body: unknown) => string {
  const last = useRef({ body: '', key: '' })
  return body => {
    const text = JSON.stringify(body)
    if (last.current.body !== text) last.current = { body: text, key: randomKey() }
    return last.current.key
  }
}

// `crypto.randomUUID` is missing where the page came over plain http.
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
