import http from 'node:http'
import net from 'node:net'
import { Agent, buildConnector, getGlobalDispatcher, setGlobalDispatcher } from 'undici'

/**
 * Lets this process reach `http://<host>` (port 80) at another port, as a name server and the reverse proxy would:
 * wallets hold against each other home domains with a port, so the anchor under test has none. Returns what undoes it.
 */
export function routePublicHost(host: string, port: number): () => void {
  const [dispatcher, { createConnection }] = [getGlobalDispatcher(), http.globalAgent]
  const connect = buildConnector({})
  setGlobalDispatcher(
    new Agent({
      connect: (options, callback) => {
        const ours = options.hostname === host
        connect(ours ? { ...options, hostname: '127.0.0.1', port: String(port) } : options, callback)
      },
    }),
  )
  http.globalAgent.createConnection = options => {
    const ours = options.host === host
    return net.connect(ours ? { ...options, host: '127.0.0.1', port } : (options as net.NetConnectOpts))
  }
  return () => {
    setGlobalDispatcher(dispatcher)
    http.globalAgent.createConnection = createConnection
  }
}
