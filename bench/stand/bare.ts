import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A Fastify process that does nothing, by this Node with its own flags. */
export async function startBare(): Promise<{ pid: number; base: string; stop(): void }> {
  const program = fileURLToPath(new URL('./bare-server.mjs', import.meta.url))
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', message => resolve(Number(message)))
    child.once('exit', code => reject(new Error(`the bare server exited with ${code}`)))
  })
  return { pid: child.pid ?? 0, base: `http://127.0.0.1:${port}`, stop: () => void child.kill() }
}
