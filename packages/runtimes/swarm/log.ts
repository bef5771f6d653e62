import type Docker from 'dockerode'
import { linesOf } from '../docker/log-frames.ts'
import { listTasks } from './tasks.ts'

const ANSWERS_WITHIN_MS = 5_000

/**
 * The last lines of a server's containers, whatever node they ran on; then why no node accepts it, if that is so. Lines of a
 * node that does not answer are missing.
 */
export async function readLog(engine: Docker, name: string, lines: number): Promise<string[]> {
  const options = { stdout: true, stderr: true, tail: lines, timestamps: true }
  const abortSignal = AbortSignal.timeout(ANSWERS_WITHIN_MS)
  // The client resolves to a buffer where nothing follows, whatever its types say.
  const frames = (await engine
    .getService(name)
    .logs({ ...options, abortSignal })
    .catch(() => Buffer.alloc(0))) as unknown as Buffer
  const written = linesOf(frames)
    .toSorted()
    .map(line => line.slice(line.indexOf(' ') + 1))
  const [newest] = await listTasks(engine, name)
  const refused = newest?.Status.State !== 'running' && newest?.Status.Err
  return [...written, ...(refused ? [refused] : [])].slice(-lines)
}
