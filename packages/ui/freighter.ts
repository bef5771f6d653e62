/** The extension's messages: a page asks its own window, where the extension listens. */
const ASKS = 'FREIGHTER_EXTERNAL_MSG_REQUEST'
const ANSWERS = 'FREIGHTER_EXTERNAL_MSG_RESPONSE'
const FOUND_WITHIN_MS = 2_000
/** Someone unlocks it and confirms. */
const CONFIRMED_WITHIN_MS = 300_000

interface Answer {
  source?: string
  /** The extension's own spelling. */
  messagedId?: string
  isConnected?: boolean
  publicKey?: string
  signedTransaction?: string
  apiError?: { message?: string } | string | null
}

export const hasFreighter = async (): Promise<boolean> => {
  const asked = await ask({ type: 'REQUEST_CONNECTION_STATUS' }, FOUND_WITHIN_MS).catch(() => null)
  return asked?.isConnected === true
}

/** The address that its owner shares with this page. */
export const freighterAddress = async (): Promise<string> =>
  (await ask({ type: 'REQUEST_ACCESS' }, CONFIRMED_WITHIN_MS)).publicKey ?? ''

/** The transaction with the signature of the account. */
export async function signWithFreighter(
  transactionXdr: string,
  networkPassphrase: string,
  accountToSign: string,
): Promise<string> {
  const request = { type: 'SUBMIT_TRANSACTION', transactionXdr, networkPassphrase, accountToSign }
  return (await ask(request, CONFIRMED_WITHIN_MS)).signedTransaction ?? ''
}

function ask(request: Readonly<Record<string, string>>, withinMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const messageId = crypto.randomUUID()
    const receive = ({ source, data }: MessageEvent<Answer | null>) => {
      if (source !== window || data?.source !== ANSWERS || data.messagedId !== messageId) return
      stop()
      const { apiError } = data
      if (!apiError) return resolve(data)
      reject(new Error(typeof apiError === 'string' ? apiError : (apiError.message ?? 'Freighter refused.')))
    }
    const stop = () => {
      removeEventListener('message', receive)
      clearTimeout(timer)
    }
    const timer = setTimeout(() => {
      stop()
      reject(new Error('Freighter did not answer.'))
    }, withinMs)
    addEventListener('message', receive)
    window.postMessage({ source: ASKS, messageId, ...request }, location.origin)
  })
}
