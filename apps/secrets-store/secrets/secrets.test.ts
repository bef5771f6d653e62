import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { migrate, openDatabase, type Database } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import { createSealer, parseKeyring } from '@windlass/service/seals/seal.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { walkOtherRoutes } from '@windlass/testing/walk.ts'
import { sql } from 'kysely'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import { migrations } from '../start.ts'
import type { Tables } from '../tables.ts'
import { sealedSecrets } from './operations.ts'

const credentials = { accessKeyId: 'AKIDWINDLASS', secretAccessKey: 'a-secret-access-key-of-some-length' }
const oldKey = `v1:${randomBytes(32).toString('base64')}`
const newKey = `v2:${randomBytes(32).toString('base64')}`

let test: TestDatabase
let database: Database<Tables>
let server: Server
let port: number
let client: SecretsManagerClient
let drift = 0
const clock = { now: () => new Date(Date.now() + drift) }

const serve = (keys: string, at = database) =>
  buildApp({
    database: at,
    sealer: createSealer(parseKeyring(keys)),
    credentials,
    region: 'local',
    clock,
    logger: createLogger('test', 'silent'),
  })
const sdk = (at: number, given = credentials) =>
  new SecretsManagerClient({
    endpoint: `http://127.0.0.1:${at}`,
    region: 'local',
    credentials: given,
    maxAttempts: 1,
  })

beforeAll(async () => {
  test = await testDatabase(migrations)
  database = openDatabase<Tables>(test.url, { name: 'test' })
  server = await serve(oldKey)
  port = await server.listen(0, '127.0.0.1')
  client = sdk(port)
})
afterAll(async () => {
  client.destroy()
  await server.close()
  await database.close()
  await test.drop()
})

const newName = () => `test/${randomUUID()}`
async function create(SecretString = 'first', Name = newName()) {
  return client.send(new CreateSecretCommand({ Name, SecretString }))
}
const read = (SecretId: string) => client.send(new GetSecretValueCommand({ SecretId }))
const put = (SecretId: string, SecretString: string, ClientRequestToken?: string) =>
  client.send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }))
const remove = (SecretId: string) =>
  client.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }))

describe('a secret', () => {
  it('is read back by name, ARN and ARN without suffix', async () => {
    const made = await create('{"key":"välue \\u0000"}')
    expect(made.ARN).toMatch(/^arn:aws:secretsmanager:local:000000000000:secret:test\/.+-[A-Za-z0-9]{6}$/)
    for (const id of [made.Name!, made.ARN!, made.ARN!.slice(0, -7)]) {
      const got = await read(id)
      expect(got).toMatchObject({
        ARN: made.ARN,
        Name: made.Name,
        VersionId: made.VersionId,
        SecretString: '{"key":"välue \\u0000"}',
        VersionStages: ['AWSCURRENT'],
      })
      expect(Math.abs(got.CreatedDate!.getTime() - Date.now())).toBeLessThan(60_000)
    }
  })

  it('is stored encrypted in the database, bound to its row', async () => {
    const [one, two] = [await create('find-me-if-you-can'), await create('other')]
    const { rows } = await sql<{ sealed: Buffer }>`select sealed from secrets`.execute(database.db)
    expect(rows.some(row => row.sealed.includes('find-me-if-you-can'))).toBe(false)
    await sql`update secrets set sealed = (select sealed from secrets where arn = ${one.ARN!})
      where arn = ${two.ARN!}`.execute(database.db)
    await expect(read(two.ARN!)).rejects.toMatchObject({ name: 'DecryptionFailure' })
  })

  it('cannot be created twice, unless it is the same request again', async () => {
    const Name = newName()
    const first = { Name, SecretString: 'x', ClientRequestToken: randomUUID() }
    const made = await client.send(new CreateSecretCommand(first))
    const again = await client.send(new CreateSecretCommand(first))
    expect([again.ARN, again.VersionId]).toEqual([made.ARN, made.VersionId])
    for (const other of [
      { ...first, SecretString: 'y' },
      { Name, SecretString: 'x' },
    ]) {
      await expect(client.send(new CreateSecretCommand(other))).rejects.toMatchObject({
        name: 'ResourceExistsException',
      })
    }
  })

  it('is created once when many ask at the same time', async () => {
    const Name = newName()
    const results = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => create(`v${i}`, Name)))
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1)
  })

  it('that is unknown cannot be read or written', async () => {
    const unknown = { name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 400 } }
    await expect(read('nowhere')).rejects.toMatchObject(unknown)
    await expect(put('nowhere', 'x')).rejects.toMatchObject(unknown)
  })

  it.each([
    ['a name with a space', { Name: 'a b', SecretString: 'x' }],
    ['bytes', { Name: 'x', SecretString: 'x', SecretBinary: Buffer.from('x') }],
    ['no value', { Name: 'x' }],
    ['an empty value', { Name: 'x', SecretString: '' }],
    ['more than 64 KiB', { Name: 'x', SecretString: 'x'.repeat(65_537) }],
    ['64 KiB of characters that take two bytes', { Name: 'x', SecretString: 'ä'.repeat(65_536) }],
    ['a description', { Name: 'x', SecretString: 'x', Description: 'for the rail' }],
    ['a short token', { Name: 'x', SecretString: 'x', ClientRequestToken: 'short' }],
  ])('is refused with %s', async (_what, input) => {
    await expect(client.send(new CreateSecretCommand(input))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    })
  })
})

describe('a new value', () => {
  it('replaces the one before', async () => {
    const { Name, VersionId } = await create('one')
    const second = await put(Name!, 'two')
    expect(second.VersionStages).toEqual(['AWSCURRENT'])
    expect(second.VersionId).not.toBe(VersionId)
    expect(await read(Name!)).toMatchObject({ SecretString: 'two', VersionId: second.VersionId })
  })

  it('is written once for a token', async () => {
    const { Name } = await create('one')
    const token = randomUUID()
    const puts = await Promise.all(Array.from({ length: 5 }, () => put(Name!, 'two', token)))
    expect(new Set(puts.map(({ VersionId }) => VersionId))).toEqual(new Set([token]))
    await expect(put(Name!, 'three', token)).rejects.toMatchObject({ name: 'ResourceExistsException' })
    expect((await read(Name!)).SecretString).toBe('two')
  })

  it('is one of those written at the same time', async () => {
    const { Name } = await create('start')
    const puts = await Promise.all(Array.from({ length: 8 }, (_, i) => put(Name!, `v${i}`)))
    const { VersionId, SecretString } = await read(Name!)
    expect(SecretString).toBe(`v${puts.findIndex(each => each.VersionId === VersionId)}`)
  })
})

describe('deletion', () => {
  it('is at once and permanent, also where there is nothing', async () => {
    const { Name, ARN } = await create()
    expect(await remove(Name!)).toMatchObject({ Name, ARN })
    await expect(read(Name!)).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    expect((await remove(Name!)).Name).toBe(Name)
    expect((await create('again', Name)).Name).toBe(Name)
  })

  it('with a recovery window is refused, since nobody restores a secret', async () => {
    const { Name } = await create('kept')
    const later = new DeleteSecretCommand({ SecretId: Name, RecoveryWindowInDays: 7 })
    await expect(client.send(later)).rejects.toMatchObject({ name: 'InvalidParameterException' })
    expect((await read(Name!)).SecretString).toBe('kept')
  })
})

describe('who may ask', () => {
  const get = new GetSecretValueCommand({ SecretId: 'x' })

  it.each([
    ['another access key', { ...credentials, accessKeyId: 'OTHER' }, 'UnrecognizedClientException'],
    ['another secret key', { ...credentials, secretAccessKey: 'guess' }, 'InvalidSignatureException'],
  ])('is nobody with %s', async (_what, given, name) => {
    const stranger = sdk(port, given)
    await expect(stranger.send(get)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 403 } })
    stranger.destroy()
  })

  it('is nobody without a signature', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'x-amz-target': 'secretsmanager.ListSecrets', 'content-type': 'application/x-amz-json-1.1' },
      body: '{}',
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ __type: 'MissingAuthenticationTokenException' })
  })

  it('is nobody whose clock is off by more than 15 minutes', async () => {
    for (const [minutes, name] of [
      [14, 'ResourceNotFoundException'],
      [16, 'InvalidSignatureException'],
      [-16, 'InvalidSignatureException'],
    ] as const) {
      drift = minutes * 60_000
      await expect(sdk(port).send(get)).rejects.toMatchObject({ name })
    }
    drift = 0
  })

  it('is nobody who changed what had been signed', async () => {
    type Changes = { body?: string; headers?: Record<string, string> }
    const tampered = async (change: Changes) => {
      const tampering = sdk(port)
      tampering.middlewareStack.add(
        next => async args => {
          const request = args.request as { body: string; headers: Record<string, string> }
          Object.assign(request.headers, change.headers)
          if (change.body) {
            request.body = change.body
            request.headers['content-length'] = String(change.body.length)
          }
          return next(args)
        },
        { step: 'finalizeRequest', priority: 'low' },
      )
      return tampering.send(get).catch((error: Error) => error.name)
    }
    expect(await tampered({})).toBe('ResourceNotFoundException')
    expect(await tampered({ body: '{"SecretId":"y"}' })).toBe('InvalidSignatureException')
    expect(await tampered({ headers: { 'x-amz-target': 'secretsmanager.DeleteSecret' } })).toBe(
      'InvalidSignatureException',
    )
    expect(await tampered({ headers: { 'x-amz-something': 'unsigned' } })).toBe('InvalidSignatureException')
  })
})

describe('the service', () => {
  it('keeps secrets over a restart, and opens old ones under a rotated keyring', async () => {
    const { Name } = await create('old')
    const second = await serve(`${newKey},${oldKey}`)
    const rotated = sdk(await second.listen(0, '127.0.0.1'))
    expect((await rotated.send(new GetSecretValueCommand({ SecretId: Name }))).SecretString).toBe('old')
    await rotated.send(new PutSecretValueCommand({ SecretId: Name, SecretString: 'new' }))
    await expect(read(Name!)).rejects.toMatchObject({ name: 'DecryptionFailure' })
    rotated.destroy()
    await second.close()
  })

  it('opens them without the older key once they are encrypted again', async () => {
    const own = await testDatabase(migrations)
    const rows = openDatabase<Tables>(own.url, { name: 'test' })
    const ask = async <T>(keys: string, act: (store: SecretsManagerClient) => Promise<T>): Promise<T> => {
      const service = await serve(keys, rows)
      const store = sdk(await service.listen(0, '127.0.0.1'))
      return act(store).finally(() => Promise.all([store.destroy(), service.close()]))
    }
    const Name = 'kept'
    await ask(oldKey, store => store.send(new CreateSecretCommand({ Name, SecretString: 'old' })))
    const again = (keys: string) =>
      sealAgain(rows.pool, 'SECRETS_STORE_KEY', parseKeyring(keys), [sealedSecrets])
    await expect(again(newKey)).rejects.toThrow('SECRETS_STORE_KEY lacks v1')
    expect(await again(`${newKey},${oldKey}`)).toBe(1)
    const found = await ask(newKey, store => store.send(new GetSecretValueCommand({ SecretId: Name })))
    expect(found.SecretString).toBe('old')
    await rows.close()
    await own.drop()
  })

  it('brings the current values of an older database along', async () => {
    const older = await testDatabase()
    const rows = openDatabase<Tables>(older.url, { name: 'test' })
    const first = await readFile(join(migrations, '0001-secrets.sql'), 'utf8')
    const folder = await mkdtemp(join(tmpdir(), 'secrets-migrations-'))
    await writeFile(join(folder, '0001-secrets.sql'), first)
    await migrate(rows.pool, [folder])
    const arn = 'arn:aws:secretsmanager:local:000000000000:secret:old-abcdef'
    const seal = (text: string, version: string) =>
      createSealer(parseKeyring(oldKey)).seal(text, `${arn}:${version}`)
    await rows.pool.query(
      'insert into secrets (arn, name, created_at, changed_at) values ($1, $2, now(), now())',
      [arn, 'old'],
    )
    const insert =
      "insert into versions (arn, version_id, kind, sealed, created_at) values ($1, $2, 'string', $3, now())"
    await rows.pool.query(insert, [arn, 'v1', seal('one', 'v1')])
    await rows.pool.query(insert, [arn, 'v2', seal('two', 'v2')])
    await rows.pool.query("insert into stages values ($1, 'AWSPREVIOUS', 'v1'), ($1, 'AWSCURRENT', 'v2')", [
      arn,
    ])
    await migrate(rows.pool, [migrations])
    const upgraded = await serve(oldKey, rows)
    const reader = sdk(await upgraded.listen(0, '127.0.0.1'))
    expect((await reader.send(new GetSecretValueCommand({ SecretId: arn }))).SecretString).toBe('two')
    reader.destroy()
    await upgraded.close()
    await rows.close()
    await older.drop()
    await rm(folder, { recursive: true })
  })

  it('says how it is, and what it does not know', async () => {
    const health = await server.app.inject('/health')
    expect(health.json()).toMatchObject({ status: 'ok', checks: { database: 'ok' } })
    const unknown = sdk(port)
    unknown.middlewareStack.add(
      next => async args => {
        const request = args.request as { headers: Record<string, string> }
        request.headers['x-amz-target'] = 'secretsmanager.__proto__'
        return next(args)
      },
      { step: 'build' },
    )
    await expect(unknown.send(new ListSecretsCommand({}))).rejects.toMatchObject({
      name: 'UnknownOperationException',
    })
  })
})

describe('garbage', () => {
  it('is refused unsigned, and signed it is no fault of the store', async () => {
    expect(await walkOtherRoutes(server)).toEqual([])
    const odd = ['', 'a\0b', 'constructor', '__proto__', '../x', '\ud800', 'x'.repeat(5_000), '💥', '${7*7}']
    for (const text of odd) {
      const commands = [
        () => create(text, text),
        () => create(text),
        () => read(text),
        () => put(text, text, text),
        () => remove(text),
      ]
      for (const command of commands) {
        const status = await command().then(
          () => 200,
          (error: { $metadata?: { httpStatusCode?: number } }) => error.$metadata?.httpStatusCode ?? 400,
        )
        expect([text, status]).toEqual([text, expect.toSatisfy((each: number) => each < 500)])
      }
    }
  })
})
