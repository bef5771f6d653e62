import { freePort } from '@windlass/testing/free-ports.ts'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The server's program: WINDLASS_VAULT, or HashiCorp Vault or OpenBao where one is in the PATH. */
export const VAULT_PROGRAM = [process.env.WINDLASS_VAULT, 'vault', 'bao'].find(
  program => program && spawnSync(program, ['version']).status === 0,
)

/** A real Vault with its transit secrets engine, which keeps what it has in files. */
export interface RealVault {
  url: string
  /** A token that may do everything. */
  administrator: string
  /** As its administrator; throws where it does not answer with 2xx. */
  ask<T = unknown>(method: string, path: string, body?: object): Promise<T>
  /** A token with that policy. */
  createToken(policy: string, settings?: object): Promise<string>
  seal(): Promise<void>
  unseal(): Promise<void>
  kill(): Promise<void>
  /** Starts it again after it was killed; it is sealed then. */
  restart(): Promise<void>
  remove(): Promise<void>
}

export async function startRealVault(program: string): Promise<RealVault> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-vault-'))
  const address = `127.0.0.1:${await freePort()}`
  const url = `http://${address}`
  const config = join(folder, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      storage: { file: { path: join(folder, 'data') } },
      listener: { tcp: { address, tls_disable: true } },
      api_addr: url,
      disable_mlock: true,
    }),
  )
  let child: ChildProcess | undefined
  let administrator = ''
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'x-vault-token': administrator }
    const answer = await fetch(`${url}/v1/${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`Vault: ${method} ${path}: ${answer.status} ${text}`)
    return (text ? JSON.parse(text) : undefined) as T
  }
  const restart = async () => {
    child = spawn(program, ['server', `-config=${config}`], { stdio: 'ignore' })
    const status = `${url}/v1/sys/seal-status`
    const deadline = Date.now() + 60_000
    while (
      !(await fetch(status).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${program} does not start`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await restart()
  const shares = { secret_shares: 1, secret_threshold: 1 }
  const { keys, root_token } = await ask<{ keys: string[]; root_token: string }>('PUT', 'sys/init', shares)
  administrator = root_token
  const unseal = async () => void (await ask('PUT', 'sys/unseal', { key: keys[0] }))
  await unseal()
  await ask('POST', 'sys/mounts/transit', { type: 'transit' })
  return {
    ...{ url, administrator, ask },
    createToken: async (policy, settings = {}) => {
      const body = { policies: [policy], no_parent: true, ...settings }
      const { auth } = await ask<{ auth: { client_token: string } }>('POST', 'auth/token/create', body)
      return auth.client_token
    },
    seal: async () => void (await ask('PUT', 'sys/seal')),
    unseal,
    kill,
    restart,
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
