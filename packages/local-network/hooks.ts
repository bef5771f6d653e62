import {
  startLocalNetwork,
  type LocalNetwork,
  type LocalNetworkOptions,
  type Snapshot,
} from './local-network.ts'

type Hook = (act: () => void | Promise<void>) => unknown

/** The hooks of a test runner: of vitest or jest (`beforeAll`), or of node:test (`before`). */
type Hooks = (
  { readonly beforeAll: Hook; readonly afterAll: Hook } | { readonly before: Hook; readonly after: Hook }
) & {
  /** Given, each test begins with the network as it was before the first. */
  readonly beforeEach?: Hook
}

/**
 * A network for the tests of a file: started before the first, stopped after the last. Ledgers close at once.
 *
 *     import { afterAll, beforeAll, beforeEach } from 'vitest'
 *     const stellar = useLocalNetwork({ beforeAll, afterAll, beforeEach })
 *     it('pays', () => fetch(stellar.network.friendbotUrl))
 */
export function useLocalNetwork(
  hooks: Hooks,
  options: LocalNetworkOptions = {},
): { readonly network: LocalNetwork } {
  const [before, after] =
    'beforeAll' in hooks ? [hooks.beforeAll, hooks.afterAll] : [hooks.before, hooks.after]
  let network: LocalNetwork | undefined
  let start: Snapshot | undefined
  before(async () => {
    network = await startLocalNetwork({ closeEvery: 'at-once', ...options })
  })
  hooks.beforeEach?.(() => {
    if (start) network?.restore(start)
    else start = network?.snapshot()
  })
  after(async () => {
    await network?.stop()
    start?.delete()
  })
  return {
    get network() {
      if (!network) throw new Error('the network runs in hooks and tests only')
      return network
    },
  }
}
