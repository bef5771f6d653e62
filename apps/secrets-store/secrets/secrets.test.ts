import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  ListSecretVersionIdsCommand,
  paginateListSecrets,
  PutSecretValueCommand,
  RestoreSecretCommand,
  SecretsManagerClient,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateSecretCommand,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager'
import { openDatabase, type Database } from '@windlass/service/database.ts'
import { createLogger } from '@windlass/service/logger.ts'
import { createSealer, parseKeyring } from '@windlass/service/seal.ts'
import type { Server } from '@windlass/service/server.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import type { Tables } from '../database.ts'
import { migrations } from '../start.ts'
import { removeExpired } from './delete.ts'

const credentials = { accessKeyId: 'AKIDWINDLASS', secretAccessKey: 'a-secret-access-key-of-some-length' }
const oldKey = `v1:${randomBytes(32).toString('base64')}`
const newKey = `v2:${randomBytes(32).toString('base64')}`
const DAY_MS = 86_400_000

let test: TestDatabase
let database: Database<Tables>
let server: Server
let port: number
let client: SecretsManagerClient
let drift = 0
const clock = { now: () => new Date(Date.now() + drift) }

const serve = (keys: string) =>
  buildApp({
    database,
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
const read = async (SecretId: string, more: { VersionId?: string; VersionStage?: string } = {}) =>
  client.send(new GetSecretValueCommand({ SecretId, ...more }))

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

  it('may be bytes', async () => {
    const SecretBinary = randomBytes(1000)
    const Name = newName()
    await client.send(new CreateSecretCommand({ Name, SecretBinary }))
    expect(Buffer.from((await read(Name)).SecretBinary!)).toEqual(SecretBinary)
  })

  it('lies encrypted in the database, bound to its row', async () => {
    const [one, two] = [await create('find-me-if-you-can'), await create('other')]
    const { rows } = await sql<{ sealed: Buffer }>`select sealed from versions`.execute(database.db)
    expect(rows.some(row => row.sealed.includes('find-me-if-you-can'))).toBe(false)
    await sql`update versions set sealed = (select sealed from versions where arn = ${one.ARN!})
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

  it('that is unknown, or has no value yet, cannot be read', async () => {
    await expect(read('nowhere')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      $metadata: { httpStatusCode: 400 },
    })
    const Name = newName()
    const made = await client.send(new CreateSecretCommand({ Name }))
    expect(made.VersionId).toBeUndefined()
    await expect(read(Name)).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    await client.send(new PutSecretValueCommand({ SecretId: Name, SecretString: 'now' }))
    expect((await read(Name)).SecretString).toBe('now')
  })

  it.each([
    ['a name with a space', { Name: 'a b', SecretString: 'x' }],
    ['both text and bytes', { Name: 'x', SecretString: 'x', SecretBinary: Buffer.from('x') }],
    ['an empty value', { Name: 'x', SecretString: '' }],
    ['more than 64 KiB', { Name: 'x', SecretString: 'x'.repeat(65_537) }],
    ['a NUL in the description', { Name: 'x', SecretString: 'x', Description: 'a\0b' }],
    ['a short token', { Name: 'x', SecretString: 'x', ClientRequestToken: 'short' }],
  ])('is refused with %s', async (_what, input) => {
    await expect(client.send(new CreateSecretCommand(input))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    })
  })
})

describe('versions', () => {
  it('move AWSCURRENT on and AWSPREVIOUS with it', async () => {
    const { Name, VersionId: v1 } = await create('one')
    const put = (SecretString: string) =>
      client.send(new PutSecretValueCommand({ SecretId: Name, SecretString }))
    const { VersionId: v2, VersionStages } = await put('two')
    expect(VersionStages).toEqual(['AWSCURRENT'])
    const { VersionId: v3 } = await put('three')
    expect((await read(Name!)).SecretString).toBe('three')
    expect((await read(Name!, { VersionStage: 'AWSPREVIOUS' })).SecretString).toBe('two')
    expect((await read(Name!, { VersionId: v1! })).SecretString).toBe('one')
    const described = await client.send(new DescribeSecretCommand({ SecretId: Name }))
    expect(described.VersionIdsToStages).toEqual({ [v3!]: ['AWSCURRENT'], [v2!]: ['AWSPREVIOUS'] })
    const { Versions } = await client.send(
      new ListSecretVersionIdsCommand({ SecretId: Name, IncludeDeprecated: true }),
    )
    expect(Versions!.map(version => version.VersionId).sort()).toEqual([v1, v2, v3].sort())
  })

  it('ask for id and stage of the same version', async () => {
    const { Name, VersionId } = await create('one')
    await client.send(new PutSecretValueCommand({ SecretId: Name, SecretString: 'two' }))
    await expect(read(Name!, { VersionId: VersionId!, VersionStage: 'AWSCURRENT' })).rejects.toMatchObject({
      name: 'InvalidRequestException',
    })
    expect((await read(Name!, { VersionId: VersionId!, VersionStage: 'AWSPREVIOUS' })).SecretString).toBe(
      'one',
    )
    await expect(read(Name!, { VersionId: randomUUID() })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    })
  })

  it('are written once for a token', async () => {
    const { Name } = await create('one')
    const put = { SecretId: Name!, SecretString: 'two', ClientRequestToken: randomUUID() }
    await Promise.all(Array.from({ length: 5 }, () => client.send(new PutSecretValueCommand(put))))
    const { Versions } = await client.send(new ListSecretVersionIdsCommand({ SecretId: Name }))
    expect(Versions).toHaveLength(2)
    await expect(
      client.send(new PutSecretValueCommand({ ...put, SecretString: 'three' })),
    ).rejects.toMatchObject({ name: 'ResourceExistsException' })
    expect((await read(Name!)).SecretString).toBe('two')
  })

  it('wait under a stage of their own until they are promoted', async () => {
    const { Name, VersionId: v1 } = await create('one')
    const put = { SecretId: Name!, SecretString: 'two', VersionStages: ['AWSPENDING'] }
    const { VersionId: v2 } = await client.send(new PutSecretValueCommand(put))
    expect((await read(Name!)).SecretString).toBe('one')
    const move = { SecretId: Name!, VersionStage: 'AWSCURRENT', MoveToVersionId: v2! }
    await expect(client.send(new UpdateSecretVersionStageCommand(move))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    })
    await client.send(new UpdateSecretVersionStageCommand({ ...move, RemoveFromVersionId: v1! }))
    expect((await read(Name!)).SecretString).toBe('two')
    expect((await read(Name!, { VersionStage: 'AWSPREVIOUS' })).SecretString).toBe('one')
  })

  it('are added by UpdateSecret, which also changes the description alone', async () => {
    const { Name, VersionId } = await create('one')
    const changed = await client.send(new UpdateSecretCommand({ SecretId: Name, Description: 'rails' }))
    expect(changed.VersionId).toBeUndefined()
    const updated = await client.send(new UpdateSecretCommand({ SecretId: Name, SecretString: 'two' }))
    expect(updated.VersionId).not.toBe(VersionId)
    expect((await client.send(new DescribeSecretCommand({ SecretId: Name }))).Description).toBe('rails')
    expect((await read(Name!)).SecretString).toBe('two')
  })

  it('written at the same time leave one current version and all values', async () => {
    const { Name } = await create('start')
    const puts = Array.from({ length: 8 }, (_, i) =>
      client.send(new PutSecretValueCommand({ SecretId: Name, SecretString: `v${i}` })),
    )
    await Promise.all(puts)
    const { Versions } = await client.send(
      new ListSecretVersionIdsCommand({ SecretId: Name, IncludeDeprecated: true }),
    )
    expect(Versions).toHaveLength(9)
    expect(Versions!.filter(version => version.VersionStages?.includes('AWSCURRENT'))).toHaveLength(1)
  })
})

describe('deletion', () => {
  it('waits for its recovery window, in which the secret can be restored', async () => {
    const { Name } = await create('kept')
    const deleted = await client.send(new DeleteSecretCommand({ SecretId: Name, RecoveryWindowInDays: 7 }))
    expect(deleted.DeletionDate!.getTime() - Date.now()).toBeGreaterThan(6.9 * DAY_MS)
    await expect(read(Name!)).rejects.toMatchObject({ name: 'InvalidRequestException' })
    await expect(create('again', Name)).rejects.toMatchObject({ name: 'InvalidRequestException' })
    await client.send(new RestoreSecretCommand({ SecretId: Name }))
    expect((await read(Name!)).SecretString).toBe('kept')
  })

  it('happens once the window has passed', async () => {
    const { Name } = await create('gone')
    await client.send(new DeleteSecretCommand({ SecretId: Name }))
    const after = (days: number) => ({ now: () => new Date(Date.now() + days * DAY_MS) })
    await removeExpired({ database, clock: after(29) })
    await client.send(new DescribeSecretCommand({ SecretId: Name }))
    await removeExpired({ database, clock: after(31) })
    await expect(client.send(new DescribeSecretCommand({ SecretId: Name }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    })
    expect((await create('new', Name)).Name).toBe(Name)
  })

  it('is at once when forced, also where there is nothing', async () => {
    const { Name } = await create()
    const force = { SecretId: Name!, ForceDeleteWithoutRecovery: true }
    await client.send(new DeleteSecretCommand(force))
    await expect(read(Name!)).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    expect((await client.send(new DeleteSecretCommand(force))).Name).toBe(Name)
    await expect(
      client.send(new DeleteSecretCommand({ ...force, RecoveryWindowInDays: 7 })),
    ).rejects.toMatchObject({ name: 'InvalidParameterException' })
  })
})

describe('listing', () => {
  it('goes through all pages once, in either order, by name and tag', async () => {
    const prefix = `list/${randomUUID()}/`
    for (let i = 0; i < 7; i++) await create('x', `${prefix}${i}`)
    await client.send(
      new TagResourceCommand({ SecretId: `${prefix}3`, Tags: [{ Key: 'anchor', Value: 'abc' }] }),
    )
    const list = async (more: object) => {
      const names: string[] = []
      const pages = paginateListSecrets(
        { client, pageSize: 3 },
        { Filters: [{ Key: 'name', Values: [prefix] }], ...more },
      )
      for await (const { SecretList } of pages)
        names.push(...SecretList!.map(s => s.Name!.slice(prefix.length)))
      return names.join('')
    }
    expect(await list({})).toBe('6543210')
    expect(await list({ SortOrder: 'asc' })).toBe('0123456')
    expect(await list({ SortBy: 'name', SortOrder: 'asc' })).toBe('0123456')
    expect(await list({ Filters: [{ Key: 'tag-value', Values: ['abc'] }] })).toBe('3')
    expect(
      await list({
        Filters: [
          { Key: 'name', Values: [prefix] },
          { Key: 'name', Values: [`!${prefix}2`] },
        ],
      }),
    ).toBe('654310')
    await client.send(new UntagResourceCommand({ SecretId: `${prefix}3`, TagKeys: ['anchor'] }))
    expect(await list({ Filters: [{ Key: 'tag-value', Values: ['abc'] }] })).toBe('')
    await client.send(new DeleteSecretCommand({ SecretId: `${prefix}1` }))
    expect(await list({})).toBe('654320')
    expect(await list({ IncludePlannedDeletion: true })).toBe('6543210')
  })

  it('refuses a token that it did not give', async () => {
    await expect(client.send(new ListSecretsCommand({ NextToken: 'nonsense' }))).rejects.toMatchObject({
      name: 'InvalidNextTokenException',
    })
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
