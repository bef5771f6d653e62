import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'

/** What a wallet sends. */
export interface Asked {
  method?: string
  path: string
  token?: string
  body?: object
}

/** What it is answered. */
export interface Answered {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends requests to one server over connections that are kept. Throws where an answer is no success. */
export function askerOf(port: number) {
  const agent = new Agent({ keepAlive: true })
  let last: Answered = { status: 0, headers: {}, text: '' }
  const ask = async (asked: Asked): Promise<string> => {
    for (let tries = 1; ; tries++) {
      last = await send(agent, port, asked)
      const { status, text } = last
      if (status >= 200 && status < 300) return text
      // On a busy machine a database may not answer in time: a wallet asks again.
      if (status !== 503 || tries === MOST_TRIES)
        throw new Error(`${asked.path} answered ${status}: ${text.slice(0, 300)}`)
      await sleep(1_000)
    }
  }
  return { ask, answered: () => last, close: () => agent.destroy() }
}

const MOST_TRIES = 10

function send(agent: Agent, port: number, { method = 'GET', path, token, body }: Asked) {
  return new Promise<Answered>((resolve, reject) => {
    const sent = body && JSON.stringify(body)
    const headers = {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(sent ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) } : {}),
    }
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent }, answer => {
      const { statusCode: status = 0, headers } = answer
      text(answer).then(body => resolve({ status, headers, text: body }), reject)
    })
    asked.on('error', reject)
    asked.end(sent)
  })
}

export type Ask = ReturnType<typeof askerOf>['ask']

export interface Wallet {
  key: Keypair
  token: string
}

export async function logIn(ask: Ask, key: Keypair): Promise<Wallet> {
  const challenge = JSON.parse(await ask({ path: `/auth?account=${key.publicKey()}` })) as {
    transaction: string
    network_passphrase: string
  }
  const transaction = TransactionBuilder.fromXdr(challenge.transaction, challenge.network_passphrase)
  transaction.sign(key)
  const answer = await ask({ method: 'POST', path: '/auth', body: { transaction: transaction.toXdr() } })
  return { key, token: (JSON.parse(answer) as { token: string }).token }
}
