import { Keypair, Networks, Transaction } from '@stellar/stellar-sdk/base'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { logIn } from '../wallet.ts'
import { ask, running, startDeposit } from './anchor-under-test.ts'

describe('what is private', () => {
  it.each(['/customer', '/rate', '/event', '/admin/summary', '/transactions'])(
    '%s is not public',
    async path => {
      const answer = await ask(path, { token: null })
      expect([401, 404]).toContain(answer.status)
    },
  )

  it('the Platform API is not there for the public host, and needs the link secret on its own', async () => {
    const call = JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'get_transactions', params: {} }])
    const headers = { 'content-type': 'application/json', 'x-api-key': running.secrets.link }
    expect((await ask('/', { method: 'POST', headers, body: call, token: null })).status).toBe(404)
    const { sepServerUrl } = running.anchor
    const wrong = { ...headers, 'x-api-key': 'wrong' }
    expect((await fetch(sepServerUrl, { method: 'POST', headers: wrong, body: call })).status).toBe(401)
    expect((await fetch(sepServerUrl, { method: 'POST', headers, body: call })).status).toBe(200)
  })

  it('keeps the login of an account for the platform, and of no shared one', async () => {
    const wallet = Keypair.random()
    const ask = async (account: string) => {
      const params = { account }
      const answer = await fetch(running.anchor.sepServerUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': running.secrets.link },
        body: JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'get_login_proof', params }]),
      })
      const [first] = (await answer.json()) as { result: { transaction: string | null } }[]
      return first?.result.transaction
    }
    await logIn(running, wallet, { memo: '7' })
    expect(await ask(wallet.publicKey())).toBeNull()
    await logIn(running, wallet)
    const [operation] = new Transaction((await ask(wallet.publicKey())) ?? '', Networks.TESTNET).operations
    expect(operation).toMatchObject({ source: wallet.publicKey(), name: 'mumbai.anchors.localhost auth' })
  })

  it('answers JSON-RPC as the Anchor Platform does', async () => {
    const rpc = async (calls: unknown) => {
      const answer = await fetch(running.anchor.sepServerUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': running.secrets.link },
        body: JSON.stringify(calls),
      })
      return (await answer.json()) as { id: unknown; error?: { code: number }; result?: { status: string } }[]
    }
    const { body } = await startDeposit()
    const call = (method: string, params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
    const codes = (
      await rpc([
        call('steal_funds', {}),
        call('notify_trust_set', { transaction_id: body.id }),
        call('notify_trust_set', { transaction_id: randomUUID() }),
        call('notify_trust_set', {}),
        { id: 5 },
      ])
    ).map(({ error }) => error?.code)
    expect(codes).toEqual([-32601, -32600, -32602, -32602, -32600])
    expect(
      (await rpc(Array.from({ length: 41 }, () => call('get_transactions', {})))).at(0)?.error?.code,
    ).toBe(-32600)
    const done = call('notify_interactive_flow_completed', { transaction_id: body.id }, 'once:test:1')
    const [first, second] = await rpc([done, done])
    expect(first?.result?.status).toBe('pending_anchor')
    expect(second).toEqual(first)
  })
})
