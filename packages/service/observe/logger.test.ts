import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createLogger } from './logger.ts'

function logged(act: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  let line = ''
  act(createLogger('test', 'info', { write: text => (line += text) }))
  return JSON.parse(line) as Record<string, unknown>
}

describe('the log', () => {
  it('tells what went wrong and why, but not what a driver hung on its error', () => {
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Failing row contains (ada@acme.test, token-in-a-row)',
      client: { connection: { secretKey: 1 }, password: 'hunter2' },
    })
    const line = logged(logger =>
      logger.error({ err: new Error('the row was not written', { cause }) }, 'failed'),
    )
    expect(line.err).toMatchObject({
      type: 'Error',
      message: 'the row was not written',
      stack: expect.stringContaining('logger.test'),
      cause: { message: 'duplicate key', code: '23505' },
    })
    expect(JSON.stringify(line)).not.toMatch(/token-in-a-row|hunter2|secretKey/)
  })

  it('has no credentials of a request or a row, and changes nothing of what it was given', () => {
    const headers = {
      ...{ accept: '*/*', cookie: 'ns_admin=c1', authorization: 'Bearer c2' },
      ...{ 'x-service-secret': 'c3', 'x-windlass-proxy': 'c4' },
    }
    const given = {
      request: { method: 'GET', headers },
      row: { id: 7, password: 'c5', token: 'c6', secret: 'c7', code_hash: Buffer.from('c8') },
      plain: { id: 8 },
      nothing: null,
    }
    const before = JSON.stringify(given)
    const line = logged(logger => logger.info(given, 'seen'))
    expect(line).toMatchObject({
      request: {
        method: 'GET',
        headers: { accept: '*/*', cookie: '[redacted]', authorization: '[redacted]' },
      },
      row: { id: 7, password: '[redacted]', code_hash: '[redacted]' },
      plain: { id: 8 },
      nothing: null,
    })
    expect(JSON.stringify(line)).not.toMatch(/c[1-7]|"type":"Buffer"/)
    expect(JSON.stringify(given)).toBe(before)
    const ofChild = logged(logger => logger.child({ row: given.row }).info('seen'))
    expect(ofChild.row).toMatchObject({ id: 7, secret: '[redacted]' })
  })

  it('holds what its level asks for', () => {
    const lines: string[] = []
    const logger = createLogger('test', 'warn', { write: text => void lines.push(text) })
    logger.info('left out')
    logger.warn('kept')
    expect(lines).toEqual([expect.stringContaining('kept')])
    logger.level = 'debug'
    logger.debug('kept too')
    expect(lines).toHaveLength(2)
  })

  const KILLED = "logger.warn('last'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300)"
  it.each([
    ['that ends', 500, 'process.exit()', []],
    ['that is killed a moment after a warning', 500, KILLED, ['last']],
    ['that warns while its first line is written, and is killed', 1, KILLED, ['last']],
  ])('has every line in order of a service %s', (_, count, end, last) => {
    const program = `import { createLogger } from '${import.meta.resolve('./logger.ts')}'
      const logger = createLogger('test')
      for (let line = 0; line < ${count}; line++) logger.info(String(line))
      ${end}`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { msg: string }).msg)
    expect(lines).toEqual([...Array.from({ length: count }, (_each, line) => String(line)), ...last])
  })

  it.skipIf(!existsSync('/dev/full'))(
    'neither ends a service nor keeps it from ending where the disk is full',
    () => {
      const output = openSync('/dev/full', 'w')
      const program = `import { createLogger } from '${import.meta.resolve('./logger.ts')}'
      const logger = createLogger('test')
      for (let line = 0; line < 100; line++) logger.info('lost')
      setTimeout(() => logger.info('lost too'), 50)
      setTimeout(() => process.exit(3), 200)
      setTimeout(() => console.error('still here'), 100)`
      const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        stdio: ['ignore', output, 'pipe'],
        encoding: 'utf8',
        timeout: 20_000,
      })
      closeSync(output)
      expect([ended.status, ended.stderr]).toEqual([3, 'still here\n'])
    },
  )

  it('never ends at an error that is its own cause', () => {
    const error = new Error('round')
    error.cause = error
    expect(logged(logger => logger.warn({ err: error }, 'x')).msg).toBe('x')
  })

  it('has no credentials of a request', () => {
    const headers = {
      cookie: 'ns_admin=of-a-request',
      authorization: 'Bearer of-a-request',
      'x-service-secret': 'of-a-request',
      host: 'kept',
    }
    const line = logged(logger => logger.info({ request: { headers } }, 'asked'))
    expect(JSON.stringify(line)).not.toContain('of-a-request')
    expect(JSON.stringify(line)).toContain('kept')
  })
})
