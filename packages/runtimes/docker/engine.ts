import Docker from 'dockerode'
import { RuntimeError } from '../runtime.ts'

const ANSWERS_WITHIN_MS = 30_000

/** Whether {@link connectEngine} accepts it. */
export const isEngineAddress = (address: string): boolean =>
  URL.canParse(address) && ['unix:', 'tcp:', 'http:'].includes(new URL(address).protocol)

/**
 * A client of the Docker Engine at an address in the form of DOCKER_HOST: `unix:///var/run/docker.sock` or
 * `tcp://host:2375`. Throws for any other address. `within`: timeout in milliseconds; null: none.
 */
export function connectEngine(address: string, within: number | null = ANSWERS_WITHIN_MS): Docker {
  if (!isEngineAddress(address)) {
    throw new Error(`a Docker Engine's address starts with unix:// or tcp://, not ${address}`)
  }
  const { protocol, pathname, hostname, port } = new URL(address)
  const patience = within === null ? {} : { timeout: within }
  if (protocol === 'unix:') return new Docker({ socketPath: pathname, ...patience })
  return new Docker({ protocol: 'http', host: hostname, port: port || '2375', ...patience })
}

/** The HTTP status of the engine's response; `undefined`: no response. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' ? status : undefined
}

/** Runs `act`; one of `statuses` means that the wanted state exists already. */
export async function tolerating<T>(statuses: readonly number[], act: () => Promise<T>): Promise<T | null> {
  try {
    return await act()
  } catch (error) {
    const status = statusOf(error)
    if (status !== undefined && statuses.includes(status)) return null
    throw error
  }
}

/** Creates something that has a name. Another may have created it at the same moment: a cluster answers that with 500. */
export async function creating(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    // oxlint-disable-next-line compared-sentences/by-codes -- the engine gives no code.
    const exists = statusOf(error) === 409 || /name conflicts with an existing object/.test(String(error))
    if (!exists) throw error
  }
}

/** Converts an error of the engine's client to a {@link RuntimeError}. */
export async function coded<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof RuntimeError) throw error
    if (statusOf(error) === undefined) {
      throw new RuntimeError('engine-unreachable', 'The container engine does not answer.', error)
    }
    const said = error instanceof Error ? error.message : ''
    // oxlint-disable-next-line compared-sentences/by-codes -- the engine gives no code.
    if (/port is already allocated|address already in use/.test(said)) {
      throw new RuntimeError('port-taken', 'A port of the server is used by another program.', error)
    }
    // oxlint-disable-next-line compared-sentences/by-codes -- the engine gives no code.
    if (statusOf(error) === 404 && /no such image/i.test(said)) {
      throw new RuntimeError('server-image-missing', 'The image of the server is missing.', error)
    }
    throw new RuntimeError('server-not-started', 'The container engine refused the server.', error)
  }
}
