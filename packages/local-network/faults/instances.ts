import type { RequestListener } from 'node:http'
import { Instance, type InstanceOptions } from '../horizon/instance.ts'
import { listen, type Listening } from '../horizon/listening.ts'
import { buildServer } from '../horizon/server.ts'
import { baseFee } from '../ledger/entries.ts'
import { frozenKeys } from '../ledger/frozen.ts'
import { UnusableFaults, type Faults, type InstanceFaults } from './faults.ts'

/** The faults in effect, and where everything listens. */
export interface FaultsInEffect {
  readonly baseFee: number
  readonly surgeFee: number
  readonly frozen?: readonly string[]
  readonly instances: Readonly<Record<string, InstanceFaults & { url: string; latestLedger: number }>>
  readonly balancer?: { readonly url: string }
}

interface Running {
  readonly instance: Instance
  readonly handle: RequestListener
  readonly listening: Listening
  readonly url: string
  /** Once the instance no longer listens. */
  close(): Promise<void>
}

/** The Horizon instances of a network: `main`, and those that faults add. */
export class Instances {
  #frozen: readonly string[] = []
  readonly #host: string
  readonly #options: InstanceOptions
  readonly #running = new Map<string, Running>()
  #balancer: { readonly listening: Listening; readonly url: string } | undefined
  #balanced: readonly string[] | undefined
  #turn = 0
  #change: Promise<unknown> = Promise.resolve()

  constructor(host: string, options: InstanceOptions) {
    this.#host = host
    this.#options = options
  }

  /** Starts `main`. @returns its address */
  async start(port: number): Promise<string> {
    return (await this.#add('main', port)).url
  }

  get inEffect(): FaultsInEffect {
    const { base, price } = this.#options.ledger.fees
    return {
      baseFee: Number(base),
      surgeFee: Number(price),
      ...(this.#frozen.length > 0 && { frozen: this.#frozen }),
      instances: Object.fromEntries(
        [...this.#running].map(([name, { instance, url }]) => [
          name,
          { url, latestLedger: instance.latest.sequence, ...instance.faults },
        ]),
      ),
      ...(this.#balancer && { balancer: { url: this.#balancer.url } }),
    }
  }

  /** Replaces all faults, one change after the other. @throws UnusableFaults; the listener's error */
  setFaults(faults: Faults): Promise<FaultsInEffect> {
    const change = this.#change.then(() => this.#apply(faults))
    this.#change = change.catch(() => undefined)
    return change
  }

  /** @param closeLedger closes the open ledger, so that answers under way can end */
  async stop(closeLedger: () => void): Promise<void> {
    await this.#change
    const silent = Promise.all([
      this.#balancer?.listening.close(),
      ...[...this.#running.values()].map(({ listening }) => listening.close()),
    ])
    for (const { instance } of this.#running.values()) instance.streams.close()
    closeLedger()
    await silent
    for (const name of this.#running.keys()) await this.#remove(name)
  }

  async #apply({
    baseFee: base,
    surgeFee,
    frozen = [],
    instances = {},
    balancer,
  }: Faults): Promise<FaultsInEffect> {
    const wanted = { main: {}, ...instances }
    for (const [name, { port = 0 }] of Object.entries<{ port?: number }>(wanted)) {
      const running = this.#running.get(name)
      if (running && port !== 0 && port !== running.listening.port)
        throw new UnusableFaults(`faults.instances.${name}.port cannot change while the instance runs`)
      if (!running) await this.#add(name, port)
    }
    this.#balanced = balancer?.instances
    if (balancer) await this.#startBalancer(balancer.port ?? 0)
    else await this.#stopBalancer()
    for (const name of this.#running.keys()) if (!Object.hasOwn(wanted, name)) await this.#remove(name)
    const network = BigInt(base ?? baseFee)
    const price = BigInt(surgeFee ?? 0)
    this.#frozen = frozen
    this.#options.ledger.frozen = frozenKeys(frozen)
    this.#options.ledger.setFees({ base: network, price: price > network ? price : network })
    for (const [name, { port: _, ...faults }] of Object.entries<InstanceFaults & { port?: number }>(wanted))
      this.#running.get(name)?.instance.setFaults(faults)
    return this.inEffect
  }

  async #add(name: string, port: number): Promise<Running> {
    const instance = new Instance(this.#options)
    const app = await buildServer(instance)
    await app.ready()
    const handle: RequestListener = (request, response) => app.routing(request, response)
    try {
      const listening = await listen(handle, this.#host, port)
      const url = `http://${nameOf(this.#host)}:${listening.port}`
      const close = async () => {
        instance.stop()
        await app.close()
      }
      const running = { instance, handle, listening, url, close }
      this.#running.set(name, running)
      return running
    } catch (error) {
      instance.stop()
      throw error
    }
  }

  async #remove(name: string): Promise<void> {
    const running = this.#running.get(name)
    this.#running.delete(name)
    const silent = running?.listening.close()
    running?.instance.streams.close()
    await silent
    await running?.close()
  }

  async #startBalancer(port: number): Promise<void> {
    if (this.#balancer && (port === 0 || port === this.#balancer.listening.port)) return
    await this.#stopBalancer()
    const listening = await listen((request, response) => this.#next()(request, response), this.#host, port)
    this.#balancer = { listening, url: `http://${nameOf(this.#host)}:${listening.port}` }
  }

  async #stopBalancer(): Promise<void> {
    await this.#balancer?.listening.close()
    this.#balancer = undefined
  }

  #next(): RequestListener {
    const names = this.#balanced ?? [...this.#running.keys()]
    const next = this.#running.get(names[this.#turn++ % names.length] ?? '')
    if (!next) throw new Error('the network has stopped')
    return next.handle
  }
}

/** What to call the address it listens at. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
