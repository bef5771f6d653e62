type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Gives each request that changes something an `Idempotency-Key`. It stays until the request is answered for certain, so that
 * doing the same again after a lost answer is done once; with another body it is another request.
 */
export function withIdempotencyKeys(send: Fetch): Fetch {
  const unanswered = new Map<string, string>()
  return async (url, init) => {
    if (!init.method || init.method === 'GET') return send(url, init)
    const name = `${init.method} ${url} ${nameOf(init.body)}`
    const key = unanswered.get(name) ?? randomKey()
    unanswered.set(name, key)
    const answer = await send(url, { ...init, headers: { ...init.headers, 'idempotency-key': key } })
    // 409 with `Retry-After`: the first one is still under way.
    const isUnderWay = answer.status === 409 && answer.headers.has('retry-after')
    if (answer.status < 500 && !isUnderWay) unanswered.delete(name)
    return answer
  }
}

const nameOf = (body: RequestInit['body']): string =>
  body instanceof File ? `${body.name} ${body.size} ${body.lastModified}` : String(body)

// `crypto.randomUUID` does not exist on pages served over plain http.
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
