import { subscribe } from 'node:diagnostics_channel'

/** A Horizon, and the passphrase of the network that it has to be of. */
export interface LedgerSource {
  /** Without a `/` at its end. */
  url: string
  passphrase: string
}

export const PUBLIC_NETWORK = 'Public Global Stellar Network ; September 2015'
/** Where NETWORK_PASSPHRASE is not set. */
export const TEST_NETWORK = 'Test SDF Network ; September 2015'

/** The Horizon of a stack, by its settings. */
export const ledgerIn = (variables: Readonly<Record<string, string | undefined>>): LedgerSource => ({
  url: variables.HORIZON_URL ?? '',
  passphrase: variables.NETWORK_PASSPHRASE ?? TEST_NETWORK,
})

interface AnchorNetwork {
  network: { passphrase: string; horizonUrl: string; ledgerUrl?: string | undefined }
}

/** The Horizon of an anchor's servers: the gateway's, where there is one. */
export const ledgerOf = ({ network }: AnchorNetwork): LedgerSource => ({
  url: network.ledgerUrl ?? network.horizonUrl,
  passphrase: network.passphrase,
})

/** How many connections were opened to an origin: another server may answer on a new one. */
const opened = new Map<string, number>()

/** A connection to this origin was opened, or one was lost. */
export function countConnection(origin: string): void {
  opened.set(origin, (opened.get(origin) ?? 0) + 1)
}

interface Connected {
  connectParams: { protocol: string; host: string }
}
// Counts connections of every `fetch` of this process.
subscribe('undici:client:connected', message => {
  const { protocol, host } = (message as Connected).connectParams
  countConnection(`${protocol}//${host}`)
})

interface Proof {
  /** How many connections there were when the root was last of our network. */
  connections: number
  running: Promise<void> | null
}
/** They hold for the whole process. */
const proofs = new Map<string, Proof>()

/**
 * Compares the root's passphrase with ours, once for each connection that was opened: at the start, and after each
 * reconnection.
 *
 * @param readPassphrase of the root (`network_passphrase`); throws where it does not answer
 * @throws what `differs` makes of another passphrase: what such a Horizon answers must not be used
 */
export async function proveNetwork(
  { url, passphrase }: LedgerSource,
  readPassphrase: () => Promise<string | undefined>,
  differs: (found: string | undefined) => Error,
): Promise<void> {
  const { origin } = new URL(url)
  const key = `${url} ${passphrase}`
  const proof = proofs.get(key) ?? { connections: -1, running: null }
  proofs.set(key, proof)
  if (proof.connections === (opened.get(origin) ?? 0)) return
  const compare = async (): Promise<void> => {
    const found = await readPassphrase()
    if (found !== passphrase) throw differs(found)
    proof.connections = opened.get(origin) ?? 0
  }
  proof.running ??= compare().finally(() => (proof.running = null))
  await proof.running
}
