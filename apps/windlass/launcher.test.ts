import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { serveLauncher } from './launcher.ts'

it('refuses whatever a service sends that it does not know, and continues', async () => {
  const sent: unknown[] = []
  const channel = { connected: true, send: (message: unknown) => void sent.push(message) }
  const child = Object.assign(new EventEmitter(), channel)
  serveLauncher(child as unknown as ChildProcess, { ports: [] })
  const messages = [null, 7, 'start', [], { id: 1, act: 'start' }, { id: 2, act: 'listen', args: null }]
  for (const message of messages) child.emit('message', message)
  await expect.poll(() => sent.length).toBe(messages.length)
  for (const answer of sent) expect(answer).toHaveProperty('error.message')
})
