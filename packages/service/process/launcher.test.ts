import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { expect, it } from 'vitest'

it('keeps a service alive whose launcher is killed before it has read everything', async () => {
  const launcher = new URL('launcher.ts', import.meta.url).href
  const program = `
    import { attachToLauncher, askLauncher } from ${JSON.stringify(launcher)}
    attachToLauncher('3')
    const serving = setInterval(() => undefined, 1_000)
    const code = await askLauncher('start', ['x'.repeat(1_000_000)]).catch(error => error.code)
    await new Promise(resolve => setTimeout(resolve, 100))
    clearInterval(serving)
    console.log(code)`
  const service = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const [output, errors] = [text(service.stdout as Readable), text(service.stderr as Readable)]
  // More than this side reads: what stays unread makes the system reset the connection.
  const channel = service.stdio[3] as Socket
  await once(channel, 'readable')
  channel.destroy()
  expect(await errors).toBe('')
  expect(await output).toBe('launcher-gone\n')
})

const text = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(stream)).toString()
