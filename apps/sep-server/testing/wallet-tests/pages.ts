import { Keypair } from '@stellar/stellar-sdk/base'
import { readChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { MAILED_CODE } from '../fake-platform.ts'
import { begin } from '../transfers.ts'
import { Browser, fundedWallet, until } from '../wallet.ts'
import { ask, key, running, startDeposit } from './anchor-under-test.ts'

describe('the pages', () => {
  it('lead a wallet that nobody knows from its email address to its instructions', async () => {
    const wallet = await fundedWallet(running)
    const { id, browser } = await begin(running, wallet, 'deposit', { amount: '25' })
    const base = `/interactive/t/${id}`
    expect((await browser.open(base)).html).toContain('Email address')
    expect((await browser.submit(`${base}/email`, { email: 'not an address' })).status).toBe(422)
    expect((await browser.submit(`${base}/email`, { email: 'ravi@example.com' })).html).toContain(
      '6-digit code',
    )
    expect((await browser.submit(`${base}/code`, { code: '000000' })).status).toBe(422)
    expect((await browser.submit(`${base}/code`, { code: MAILED_CODE })).html).toContain('Verify my identity')
    const [login] = running.platform.logins.filter(({ customerId }) => customerId === 'cus_ravi@example.com')
    const terms = {
      server: running.anchor.accounts.signing,
      networkPassphrase: running.network.passphrase,
      homeDomain: running.anchor.plan.homeDomain,
      webAuthDomain: running.anchor.plan.homeDomain,
    }
    const proof = readChallenge(login?.transaction ?? '', terms, new Date())
    expect(proof.account).toBe(wallet.publicKey())
    const provider = await browser.submit(`${base}/verify`)
    expect(provider.html).toContain('Test identity check')
    expect((await browser.open(base)).html).toContain('Verifying your identity')
    await until('the page continues', async () =>
      (await browser.open(base)).html.includes('Review and confirm'),
    )
    expect((await browser.submit(`${base}/confirm`)).html).toContain('Simulate my payment')
  })

  it('are for the holder of the link or its cookie only, and escape what others wrote', async () => {
    const { id, url, browser } = await begin(running, key, 'deposit', { amount: '25' })
    const page = await browser.open(`/interactive/t/${id}`)
    expect(page.html).toContain('Mumbai Pay &#60;b&#62;&#38; Sons')
    expect((await new Browser(running).open(`/interactive/t/${id}`)).status).toBe(401)
    const other = await begin(running, key, 'deposit', { amount: '25' })
    expect((await browser.open(`/interactive/t/${other.id}`)).status).toBe(401)
    expect((await browser.open(url.replace(id, other.id))).status).toBe(401)
    const foreign = await fetch(`${running.anchor.publicUrl}/interactive/t/${id}/confirm`, { method: 'POST' })
    expect(foreign.status).toBe(401)
  })

  it('are refused with a callback that is no address, and stay good for another try', async () => {
    const { body } = await startDeposit({ amount: '25' })
    const open = async (query: string) => (await fetch(body.url + query)).status
    for (const name of ['callback', 'on_change_callback'])
      for (const address of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'wallet'])
        expect([name, address, await open(`&${name}=${encodeURIComponent(address)}`)]).toEqual([
          name,
          address,
          400,
        ])
    expect(await open('&callback=postMessage&on_change_callback=')).toBe(200)
  })

  it('carry a strict policy, and nothing from elsewhere', async () => {
    const { url } = await begin(running, key, 'deposit', { amount: '25' })
    const answer = await fetch(url)
    const policy = answer.headers.get('content-security-policy') ?? ''
    // The wallet that opened it keeps its window, and sees when the customer closes it.
    expect(answer.headers.get('cross-origin-opener-policy')).toBeNull()
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*/)
    // With no-referrer, browsers would send the forms with the origin "null".
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    const html = await answer.text()
    expect(html.match(/(src|href)="https?:[^"]*"/g)).toBeNull()
    for (const name of ['style.css', 'live.js']) {
      expect((await ask(`/interactive/assets/${name}`, { token: null })).status).toBe(200)
    }
  })

  it('send the wallet’s own server every change, signed with the SEP-10 key', async () => {
    const received: { body: string; signature: string; host: string }[] = []
    const wallet = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => (body += chunk))
      request.on('end', () => {
        received.push({
          body,
          signature: String(request.headers.signature),
          host: String(request.headers.host),
        })
        response.end()
      })
    })
    await new Promise<void>(resolve => wallet.listen(0, '127.0.0.1', resolve))
    try {
      const { url, id, browser } = await begin(running, key, 'deposit', { amount: '25' })
      const address = wallet.address()
      const callback = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/changed`
      await browser.open(`${url}&on_change_callback=${encodeURIComponent(callback)}`)
      await browser.submit(`/interactive/t/${id}/confirm`)
      await until('the wallet hears', async () =>
        received.some(({ body }) => body.includes('pending_user_transfer_start')),
      )
      const { body, signature, host } = received[0] ?? { body: '', signature: '', host: '' }
      const [, time, value] = /^t=(\d+), s=(.+)$/.exec(signature) ?? []
      const server = Keypair.fromPublicKey(running.anchor.accounts.signing)
      const signed = Buffer.from(`${time}.${host}.${body}`)
      expect(server.verify(signed, new Uint8Array(Buffer.from(value ?? '', 'base64')))).toBe(true)
      expect(JSON.parse(body).transaction.id).toBe(id)
    } finally {
      wallet.close()
    }
  })

  it('refuse amounts that do not fit, and keep what was typed', async () => {
    const { id, browser } = await begin(running, key, 'deposit', {})
    for (const amount of ['0.5', '10001', 'ten', '-1', '']) {
      const answer = await browser.submit(`/interactive/t/${id}/details`, { amount, rail: 'UPI' })
      expect(answer.status).toBe(422)
      expect(answer.html).toContain('role="alert"')
    }
    const chosen = await browser.submit(`/interactive/t/${id}/details`, { amount: '30', rail: 'IMPS' })
    expect(chosen.html).toContain('IMPS bank transfer')
  })
})
