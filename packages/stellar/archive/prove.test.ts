import { Account, Asset, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payFee } from '../fees.ts'
import { fundFromFaucet } from '../friendbot.ts'
import { createHorizon } from '../horizon.ts'
import { generateKey, seedSigner, signTransaction, type AccountKey } from '../keys.ts'
import { PUBLIC_NETWORK, TEST_NETWORK } from '../network.ts'
import { pathOf } from './files.ts'
import { NotProven, proveTransaction, type History, type WhyNotProven } from './prove.ts'
import { isQuorum, KNOWN_NETWORKS } from './validators.ts'

const PUBLISHED = new URL('../testing/archives/', import.meta.url)
/** Changes the records of a file; null: as they are. */
let forge: (path: string, records: Buffer[]) => Buffer[] | null = () => null
let local: LocalNetwork

/** The archives of the fixtures, and of the local network at `/local`, as they would be with a forger in between. */
const server = createServer(async (request, response) => {
  const path = request.url ?? ''
  const bytes = path.startsWith('/local/') ? await ofLocal(path.slice('/local'.length)) : ofFixtures(path)
  if (!bytes) return void response.writeHead(404).end()
  const forged = forge(path, recordsIn(bytes))
  response.end(forged ? gzipSync(Buffer.concat(forged.map(framed))) : bytes)
})

const ofFixtures = (path: string): Buffer | null => {
  const file = new URL(`.${path}`, PUBLISHED)
  return existsSync(file) ? readFileSync(file) : null
}
const ofLocal = async (path: string): Promise<Buffer | null> => {
  const answer = await fetch(local.archiveUrl + path)
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : null
}

function recordsIn(file: Buffer): Buffer[] {
  const bytes = gunzipSync(file)
  const records: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at) & 0x7fff_ffff
    records.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return records
}
const framed = (record: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE((record.length | 0x8000_0000) >>> 0)
  return Buffer.concat([length, record])
}

let base: string
let payer: AccountKey
beforeAll(async () => {
  local = await startLocalNetwork({ closeEvery: 'at-once' })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  payer = generateKey()
  await fundFromFaucet(local.friendbotUrl, createHorizon(local), payer.publicKey)
})
afterAll(async () => {
  server.close()
  await local.stop()
})

const ofSdf = (KNOWN_NETWORKS[PUBLIC_NETWORK]?.organizations ?? []).filter(
  ({ domain }) => domain === 'www.stellar.org',
)
const histories = {
  public: (): History => ({ passphrase: PUBLIC_NETWORK, organizations: ofSdf, archives: [`${base}/public`] }),
  test: (): History => ({
    passphrase: TEST_NETWORK,
    organizations: KNOWN_NETWORKS[TEST_NETWORK]?.organizations ?? [],
    archives: [`${base}/test`],
  }),
  local: (): History => ({
    passphrase: local.passphrase,
    organizations: [{ domain: 'localhost', validators: [local.validator.publicKey()] }],
    archives: [`${base}/local`],
  }),
}

/** What the archive itself says is on its ledgers. */
function transactionsOf(network: 'public' | 'test', checkpoint: number) {
  const file = readFileSync(new URL(`./${network}${pathOf('results', checkpoint)}`, PUBLISHED))
  return recordsIn(file).flatMap(record => {
    const { ledgerSeq: ledger, txResultSet } = xdr.TransactionHistoryResultEntry.fromXdr(record)
    return txResultSet.results.map(({ transactionHash }) => ({
      ...{ hash: Buffer.from(transactionHash.value).toString('hex'), ledger },
    }))
  })
}

async function pay({ bump = false, amount = '1' } = {}): Promise<{ hash: string; ledger: number }> {
  const horizon = createHorizon(local)
  const account = await horizon.account(payer.publicKey)
  const transaction = new TransactionBuilder(new Account(payer.publicKey, account?.sequence ?? '0'), {
    ...{ fee: '100', networkPassphrase: local.passphrase },
  })
    .addOperation(Operation.payment({ asset: Asset.native(), amount, destination: local.root.publicKey() }))
    .setTimeout(0)
    .build()
  signTransaction(transaction, payer.secret)
  const signed = transaction.toXdr()
  const envelope = bump
    ? await payFee(signed, {
        ...{ horizon, max: 100_000n, networkPassphrase: local.passphrase },
        payer: seedSigner(payer.secret),
      })
    : signed
  await horizon.submit(envelope)
  return { hash: Buffer.from(transaction.hash()).toString('hex'), ledger: local.latestLedger }
}
const closeCheckpoint = (): void => {
  do local.close()
  while ((local.latestLedger + 1) % 64 !== 0)
}

/** Why there is no proof; null: there is one. */
const whyNot = (history: History, of: { hash: string; ledger: number }): Promise<WhyNotProven | null> =>
  proveTransaction(history, of).then(
    () => null,
    (error: unknown) => (error instanceof NotProven ? error.why : expect.unreachable(String(error))),
  )

describe('what stellar-core published', () => {
  it.each([
    ['public', 12_000_639, 9],
    ['test', 7_103, 13],
  ] as const)('of the %s network proves each of its transactions', async (network, checkpoint, count) => {
    const all = transactionsOf(network, checkpoint)
    expect(all).toHaveLength(count)
    for (const each of all) {
      const proof = await proveTransaction(histories[network](), each)
      expect(proof).toMatchObject({ ...each, successful: true, signedLedger: each.ledger + 1 })
      expect(proof.signedBy).toEqual(histories[network]().organizations.map(({ domain }) => domain))
      expect(proof.files.map(({ sha256 }) => sha256).every(sha256 => /^[0-9a-f]{64}$/.test(sha256))).toBe(
        true,
      )
    }
  })

  it('proves nothing to who names other validators', async () => {
    const [first] = transactionsOf('public', 12_000_639)
    const others = KNOWN_NETWORKS[PUBLIC_NETWORK]?.organizations ?? []
    expect(
      await whyNot({ ...histories.public(), organizations: others }, first ?? expect.unreachable()),
    ).toBe('contradicted')
  })
})

describe('a payment on the local network', () => {
  it('is proven once its checkpoint is published, by its own hash, also inside a fee bump, and if it failed', async () => {
    const [plain, bumped, failed] = [await pay(), await pay({ bump: true }), await pay({ amount: '1000000' })]
    expect(await whyNot(histories.local(), plain)).toBe('not-published')
    closeCheckpoint()
    for (const [each, successful] of [
      [plain, true],
      [bumped, true],
      [failed, false],
    ] as const)
      expect(await proveTransaction(histories.local(), each)).toMatchObject({ ...each, successful })
  })

  it('in the last ledger of a checkpoint is proven by the next one', async () => {
    while ((local.latestLedger + 2) % 64 !== 0) local.close()
    const last = await pay()
    expect((last.ledger + 1) % 64).toBe(0)
    expect(await whyNot(histories.local(), last)).toBe('not-published')
    closeCheckpoint()
    expect(await proveTransaction(histories.local(), last)).toMatchObject({ signedLedger: last.ledger + 1 })
  })

  it('that is not there is said to be absent, and so is one of another ledger', async () => {
    const one = await pay()
    closeCheckpoint()
    expect(await whyNot(histories.local(), { ...one, hash: 'ab'.repeat(32) })).toBe('absent')
    expect(await whyNot(histories.local(), { ...one, ledger: one.ledger + 1 })).toBe('absent')
  })

  it('is proven by another archive where the first is away or lies', async () => {
    const one = await pay()
    closeCheckpoint()
    const away = { ...histories.local(), archives: ['http://127.0.0.1:9', ...histories.local().archives] }
    expect(await whyNot(away, one)).toBeNull()
    expect(await whyNot({ ...away, archives: ['http://127.0.0.1:9'] }, one)).toBe('unavailable')
    expect(await whyNot({ ...away, archives: [] }, one)).toBe('unavailable')
  })
})

describe('an archive that lies', () => {
  /** What a liar without validators' keys can change, consistently as far as they can. */
  const lies: Record<string, (kind: string, records: Buffer[]) => Buffer[] | null> = {
    'says that a failed transaction succeeded': (kind, records) =>
      kind === 'results' ? records.map(succeeded) : null,
    'drops the result': (kind, records) => (kind === 'results' ? records.slice(0, -1) : null),
    'changes a header': (kind, records) =>
      kind === 'ledger'
        ? records.map(record => {
            const entry = xdr.LedgerHeaderHistoryEntry.fromXdr(record)
            entry.header.txSetResultHash.value.fill(7)
            return Buffer.from(entry.toXdr())
          })
        : null,
    'drops a signature': kind => (kind === 'scp' ? [] : null),
    'signs with another key': (kind, records) =>
      kind === 'scp'
        ? records.map(record => {
            const entry = xdr.ScpHistoryEntry.fromXdr(record)
            for (const { signature } of entry.v0.ledgerMessages.messages) signature.value.fill(7)
            return Buffer.from(entry.toXdr())
          })
        : null,
    'drops all transactions': kind => (kind === 'transactions' ? [] : null),
    'ends within a record': (kind, records) =>
      kind === 'ledger' ? [Buffer.concat([...records.slice(0, -1), Buffer.alloc(2)])] : null,
  }
  const succeeded = (record: Buffer): Buffer => {
    const entry = xdr.TransactionHistoryResultEntry.fromXdr(record)
    const results = entry.txResultSet.results.map(({ transactionHash, result }) => {
      const paid = xdr.OperationResult.opInner(
        xdr.OperationResultTr.payment(xdr.PaymentResult.paymentSuccess()),
      )
      const better = new xdr.TransactionResult({
        ...{ feeCharged: result.feeCharged, ext: result.ext },
        result: xdr.TransactionResultResult.txSuccess([paid]),
      })
      return new xdr.TransactionResultPair({ transactionHash, result: better })
    })
    const txResultSet = new xdr.TransactionResultSet({ results })
    const { ledgerSeq, ext } = entry
    return Buffer.from(new xdr.TransactionHistoryResultEntry({ ledgerSeq, txResultSet, ext }).toXdr())
  }

  it.each(Object.keys(lies))('%s, proves nothing', async name => {
    const failed = await pay({ amount: '1000000' })
    closeCheckpoint()
    expect(await whyNot(histories.local(), failed)).toBeNull()
    forge = (path, records) => lies[name]?.(/\/(\w+)-\w+\.xdr\.gz$/.exec(path)?.[1] ?? '', records) ?? null
    try {
      expect(['contradicted', 'unavailable', 'not-published']).toContain(
        await whyNot(histories.local(), failed),
      )
    } finally {
      forge = () => null
    }
  })
})

it('counts an organization by more than half of its validators, and more than two thirds of all', () => {
  const of = (domain: string) => ({ domain, validators: ['1', '2', '3'].map(each => domain + each) })
  const all = ['a', 'b', 'c', 'd'].map(of)
  const signed = (...keys: string[]) => isQuorum(all, new Set(keys))
  expect(signed('a1', 'a2', 'b1', 'b3', 'c2', 'c3')).toBe(true)
  expect(signed('a1', 'a2', 'b1', 'b3', 'c2', 'd1')).toBe(false)
  expect(signed('a1', 'a2', 'a3', 'b1', 'b2', 'b3')).toBe(false)
  expect(isQuorum([], new Set(['a1']))).toBe(false)
})
