import { spawn, type ChildProcess } from 'node:child_process'
import { createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Account, Asset, Keypair, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { testPassphrase } from '@windlass/local-network/local-network.ts'

/** The local network in a process of its own, and one client's connections to it. */
export class Network {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4_000 })
  readonly #child: ChildProcess
  readonly #port: number

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.#port = port
  }

  /** Starts it with its ledger in a folder. @throws when it does not start */
  static async start(folder: string, closeEvery: string): Promise<Network> {
    const main = fileURLToPath(import.meta.resolve('@windlass/local-network/main.ts'))
    const args = ['--port', '0', '--home', folder, '--close-every', closeEvery]
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    const said = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (text: Buffer) => resolve(text.toString()))
      child.once('exit', (code, signal) => reject(new Error(`the network has ended: ${signal ?? code}`)))
    })
    return new Network(child, Number(/:(\d+) /.exec(said)?.[1]))
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    const ended = new Promise(resolve => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    await ended
  }

  residentMegabytes(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(this.#read('status'))?.[1] ?? 0) / 1024
  }

  /** What the process has used of the processor, whatever else runs beside it. */
  processorSeconds(): number {
    const fields = this.#read('stat').split(') ')[1]?.split(' ') ?? []
    const ticksASecond = 100
    return (Number(fields[11]) + Number(fields[12])) / ticksASecond
  }

  /** What it has handed to the disk. */
  writtenBytes(): number {
    return Number(/^write_bytes: (\d+)/m.exec(this.#read('io'))?.[1] ?? 0)
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8')
  }

  send(method: string, path: string, envelope?: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const form = envelope === undefined ? undefined : `tx=${encodeURIComponent(envelope)}`
      const headers = form ? { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' } : {}
      const options = { agent: this.#agent, host: '127.0.0.1', port: this.#port, path, method, headers }
      const outgoing = request(options, answer => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString() }),
        )
      })
      outgoing.on('error', reject)
      outgoing.end(form)
    })
  }

  /** @throws when the answer is not 200 */
  async submit(envelope: string): Promise<void> {
    const { status, body } = await this.send('POST', '/transactions', envelope)
    if (status !== 200) throw new Error(`a transaction was answered ${status} ${body}`)
  }

  /** Accounts to pay from, made a hundred to a transaction. */
  async makePayers(count: number): Promise<Payer[]> {
    const funder = Keypair.random()
    await this.send('GET', `/friendbot?addr=${funder.publicKey()}`)
    const { body } = await this.send('GET', `/accounts/${funder.publicKey()}`)
    const source = new Payer(funder, JSON.parse(body).sequence)
    const keys = Array.from({ length: count }, () => Keypair.random())
    for (let at = 0; at < keys.length; at += 100) {
      const made = keys
        .slice(at, at + 100)
        .map(key => Operation.createAccount({ destination: key.publicKey(), startingBalance: '4' }))
      await this.submit(source.transaction(made))
    }
    return await Promise.all(
      keys.map(async key => {
        const account = await this.send('GET', `/accounts/${key.publicKey()}`)
        return new Payer(key, JSON.parse(account.body).sequence)
      }),
    )
  }
}

/** An account that signs with node:crypto, which costs the client a tenth of what the SDK's signature does. */
export class Payer {
  readonly id: string
  readonly #key: KeyObject
  readonly #hint: Buffer
  #sequence: bigint

  constructor(keypair: Keypair, sequence: string | bigint) {
    const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
    const der = Buffer.concat([prefix, keypair.rawSecretKey()])
    this.id = keypair.publicKey()
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    this.#hint = Buffer.from(keypair.signatureHint())
    this.#sequence = BigInt(sequence)
  }

  transaction(operations: readonly xdr.Operation[]): string {
    const source = new Account(this.id, this.#sequence.toString())
    this.#sequence += 1n
    const fee = '100'
    const builder = new TransactionBuilder(source, { fee, networkPassphrase: testPassphrase })
    for (const operation of operations) builder.addOperation(operation)
    const transaction = builder.setTimeout(0).build()
    const signature = sign(null, transaction.hash(), this.#key)
    transaction.addDecoratedSignature(new xdr.DecoratedSignature({ hint: this.#hint, signature }))
    return transaction.toXDR()
  }

  /** Pays the least there is, as often as told. */
  payments(to: string, count = 1): string {
    const pay = Operation.payment({ destination: to, asset: Asset.native(), amount: '0.0000001' })
    return this.transaction(Array.from({ length: count }, () => pay))
  }
}
