import { Duplex, PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { serveLauncher } from './launcher.ts'

function serve() {
  const [received, sent] = [new PassThrough(), new PassThrough()]
  const channel = Duplex.from({ readable: received, writable: sent })
  let isWatched = true
  serveLauncher(channel, {
    runtime: { watch: () => ({ stop: () => void (isWatched = false) }) },
    carryOut: async (act, args) => {
      if (act !== 'start') throw Object.assign(new Error(`${act} is not allowed`), { code: 'refused' })
      return args
    },
  })
  const answers = () =>
    String(sent.read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as unknown)
  return { received, answers, isWatched: () => isWatched }
}

it('answers a service, and refuses whatever else it sends', async () => {
  const { received, answers } = serve()
  const lines = ['null', '7', '"start"', '[]', '{', '{"cmd":"NODE_HANDLE"}', '{"id":1,"act":"listen"}']
  received.write(`${lines.join('\n')}\n{"id":2,"act":"st`)
  received.write(Buffer.from([0xff, 0xfe, 0x0a]))
  received.write('{"id":3,"act":"start","args":null}\n{"id":4,"act":"start","args":[1]}\n')
  const got: unknown[] = []
  await expect.poll(() => got.push(...answers()) && got.length).toBe(lines.length + 3)
  expect(got.filter(each => (each as { error?: unknown }).error)).toHaveLength(lines.length + 1)
  expect(got).toEqual(
    expect.arrayContaining([
      { id: 3, result: [] },
      { id: 4, result: [1] },
    ]),
  )
})

it('hears no more from a service that sends a line without end', async () => {
  const { received, isWatched } = serve()
  const part = 'x'.repeat(2 ** 16)
  for (let length = 0; length <= 2 ** 20; length += part.length) received.write(part)
  await expect.poll(isWatched).toBe(false)
})
