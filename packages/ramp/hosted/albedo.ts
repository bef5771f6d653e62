const ORIGIN = 'https://albedo.link'
const PROTOCOL = 3
const CLOSED_LOOK_MS = 500

interface Answer {
  albedo?: unknown
  albedoIntentResult?: { __reqid?: string; result?: string; message?: string } & Record<string, string>
}

/** Asks the wallet at albedo.link, in a window of its own. Call it from a click: browsers open no window otherwise. */
export function askAlbedo(
  intent: 'public_key' | 'tx',
  params: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    const popup = window.open(`${ORIGIN}/confirm`, 'auth.albedo.link', 'popup,width=480,height=640')
    if (!popup) return reject(new Error('The browser blocked the window of Albedo.'))
    const requestId = crypto.randomUUID()
    const receive = ({ source, origin, data }: MessageEvent<Answer | null>) => {
      if (source !== popup || origin !== ORIGIN) return
      if (data?.albedo) {
        const request = { ...params, intent, __reqid: requestId, __albedo_intent_version: PROTOCOL }
        popup.postMessage(request, ORIGIN)
      }
      const answer = data?.albedoIntentResult
      if (answer?.__reqid !== requestId) return
      stop()
      popup.close()
      if (answer.result === 'error') reject(new Error(answer.message ?? 'Albedo refused.'))
      else resolve(answer)
    }
    const stop = () => {
      removeEventListener('message', receive)
      clearInterval(look)
    }
    const look = setInterval(() => {
      if (!popup.closed) return
      stop()
      reject(new Error('The window of Albedo was closed.'))
    }, CLOSED_LOOK_MS)
    addEventListener('message', receive)
  })
}
