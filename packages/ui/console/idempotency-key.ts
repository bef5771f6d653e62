import { useRef } from 'react'

/**
 * The `Idempotency-Key` of a request: the same body keeps its key, so that a retry after a lost answer is done
 * once; a changed body gets a new key.
 */
export function useIdempotencyKey(): (body: unknown) => string {
  const last = useRef({ body: '', key: '' })
  return body => {
    const text = JSON.stringify(body)
    if (last.current.body !== text) last.current = { body: text, key: randomKey() }
    return last.current.key
  }
}

// `crypto.randomUUID` does not exist on pages served over plain http.
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
