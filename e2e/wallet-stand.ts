import { testAggregator } from '@windlass/aggregator/testing/aggregator.ts'
import { start as startMailCatcher } from '@windlass/mail-catcher/start.ts'
import { MAILED_CODE } from '@windlass/sep-server/testing/fake-platform.ts'
import { startRunningAnchor, type RunningAnchor } from '@windlass/sep-server/testing/running-anchor.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'

/** What a wallet meets: an aggregator, one anchor in its registry, a ledger, and the mails that are sent. */
export interface WalletStand {
  running: RunningAnchor
  /** Settings of a program that is a wallet, and the proxy by which it finds the anchor's host. */
  environment: Record<string, string>
  stop(): Promise<void>
}

export async function startWalletStand(): Promise<WalletStand> {
  const running = await startRunningAnchor({ rails: ['UPI'], assetCode: 'LOTUS' })
  const { anchor, network, frontPort, platform } = running
  const folder = mkdtempSync(join(tmpdir(), 'wallet-stand-'))
  const mail = await startMailCatcher(
    { smtpPort: 0, port: 0, bindHost: 'localhost', folder },
    createLogger('mail-catcher', 'silent'),
  )
  const post = createTransport({ host: 'localhost', port: mail.smtpPort })
  platform.onCode = async email => {
    const text = `Your code is ${MAILED_CODE}.`
    await post.sendMail({ from: 'hello@windlass.test', to: email, subject: 'Your code', text })
  }
  const aggregator = await testAggregator({
    env: {
      FX_RATE_INR_USDC: '88.50',
      ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
      ANCHOR_INGRESS: `http://127.0.0.1:${frontPort}`,
    },
  })
  const { plan, accounts } = anchor
  await aggregator.register({
    id: plan.anchorId,
    slug: plan.subdomain,
    name: 'Mumbai Pay',
    domain: plan.homeDomain,
    apiUrl: running.businessUrl,
    summarySecret: running.secrets.summary,
    signingKey: accounts.signing,
    assets: [{ code: plan.asset.code, issuer: accounts.issuer, anchoredTo: plan.asset.anchoredTo }],
    rails: plan.rails,
    regions: plan.regions,
    fees: plan.fees,
    limits: plan.limits,
  })
  const port = await aggregator.server.listen(0, '127.0.0.1')
  const proxy = await startProxy(plan.homeDomain, frontPort)
  const proxyAddress = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    running,
    environment: {
      AGGREGATOR: `http://127.0.0.1:${port}`,
      MAILS: `http://localhost:${mail.port}`,
      HORIZON: network.url,
      FRIENDBOT: network.friendbotUrl,
      NETWORK_PASSPHRASE: network.passphrase,
      HTTP_PROXY: proxyAddress,
      http_proxy: proxyAddress,
      NODE_USE_ENV_PROXY: '1',
      JAVA_TOOL_OPTIONS: `-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=${new URL(proxyAddress).port}`,
    },
    stop: async () => {
      proxy.closeAllConnections()
      proxy.close()
      post.close()
      await Promise.all([aggregator.drop(), mail.stop()])
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Leads programs to the anchor's host, as an entry of /etc/hosts and the reverse proxy do on a person's machine. */
async function startProxy(host: string, port: number): Promise<Server> {
  const targetOf = ({ hostname, port: asked }: URL) =>
    hostname === host ? { host: '127.0.0.1', port } : { host: hostname, port: Number(asked || 80) }
  const server = createServer((incoming, outgoing) => {
    // As the reverse proxy does.
    if (incoming.method === 'GET' && Number(incoming.headers['content-length'] ?? 0) > 0)
      return void outgoing.writeHead(400).end('A GET must not have a body.')
    const url = new URL(incoming.url ?? '')
    const target = targetOf(url)
    const { 'proxy-connection': _, ...headers } = incoming.headers
    const onward = request(
      { ...target, method: incoming.method, path: url.pathname + url.search, headers },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  // Node's proxies are tunnels.
  server.on('connect', (incoming, socket, head) => {
    const onward = connect(targetOf(new URL(`http://${incoming.url}`)), () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.write(head)
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}
