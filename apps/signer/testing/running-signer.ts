import { createClient, type Client } from '@windlass/client/client.ts'
import {
  ensureAnchorKeys,
  putSigningTerms,
  type AnchorAccounts,
} from '@windlass/contracts/internal/signer.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { createHash, randomBytes } from 'node:crypto'
import { loadConfig } from '../config.ts'
import { createSequences } from '../signing/sequences.ts'
import { start } from '../start.ts'
import { migrations } from '../tables.ts'

export const PASSPHRASE = 'Test SDF Network ; September 2015'

/** An anchor at the signer, and what a thief of its servers' credentials holds. */
export interface AnchorAtSigner {
  id: string
  accounts: AnchorAccounts
  credentials: { sep: string; business: string }
}

export interface RunningSigner {
  url: string
  databaseUrl: string
  settings: Record<string, string>
  /** Sequence numbers of accounts on the ledger, unless there is a real one (`HORIZON_URL`); others have 0. */
  ledger: Map<string, bigint>
  /** As the control plane. */
  control: Client
  /** As one of an anchor's servers, or as anyone with its credential. */
  as(credential: string): Client
  addAnchor(
    id: string,
    given?: {
      seeds?: { issuer: string; distribution: string; signing: string }
      issuer?: string
      furtherAssets?: { code: string; issuer: string }[]
    },
  ): Promise<AnchorAtSigner>
  /** Stops it and starts it again, with further settings. */
  restart(settings?: Record<string, string>): Promise<void>
  stop(): Promise<void>
}

/** The signer, over HTTP, on a database of its own. */
export async function startSigner(given: Record<string, string> = {}): Promise<RunningSigner> {
  const database = await testDatabase(migrations)
  const secret = randomBytes(32).toString('hex')
  const settings: Record<string, string> = {
    SIGNER_PORT: '0',
    SIGNER_DATABASE_URL: database.url,
    SIGNER_SECRET: secret,
    SIGNER_KEY: `v1:${randomBytes(32).toString('base64')}`,
    ...given,
  }
  const logger = createLogger('signer', 'silent')
  const ledger = new Map<string, bigint>()
  const standIn = { sequences: createSequences(async account => ledger.get(account) ?? 0n) }
  const begin = (all: Record<string, string>) =>
    start(loadConfig(all), logger, all.HORIZON_URL ? {} : standIn)
  let running = await begin(settings)
  const as = (headers: Record<string, string>) =>
    createClient({ baseUrl: '', headers, fetch: (url, init) => fetch(`${signer.url}${url}`, init) })
  const signer: RunningSigner = {
    url: `http://127.0.0.1:${running.port}`,
    databaseUrl: database.url,
    settings,
    ledger,
    control: as({ 'x-service-secret': secret }),
    as: credential => as({ authorization: `Bearer ${credential}` }),
    addAnchor: async (id, { seeds, issuer, furtherAssets } = {}) => {
      const params = { anchorId: id }
      const existing = issuer === undefined ? {} : { issuer }
      const body = { ...(seeds ? { import: seeds } : {}), ...existing }
      const accounts = await signer.control.call(ensureAnchorKeys, { params, body })
      const credentials = { sep: randomBytes(32).toString('hex'), business: randomBytes(32).toString('hex') }
      await signer.control.call(putSigningTerms, {
        params,
        body: { ...termsOf(id, credentials), ...existing, ...(furtherAssets ? { furtherAssets } : {}) },
      })
      return { id, accounts, credentials }
    },
    restart: async (more = {}) => {
      await running.stop()
      running = await begin({ ...settings, ...more })
      signer.url = `http://127.0.0.1:${running.port}`
    },
    stop: async () => {
      await running.stop()
      await database.drop()
    },
  }
  return signer
}

/** Terms of an anchor that issued 10,000 and whose largest transfer is 100: 1,000 an hour by default. */
export function termsOf(id: string, credentials: { sep: string; business: string }) {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  return {
    networkPassphrase: PASSPHRASE,
    homeDomain: `${id}.anchors.test`,
    webAuthDomain: `${id}.anchors.test`,
    assetCode: 'MUMBAI',
    issued: '10000',
    largestTransfer: '100',
    maxFee: '1000000',
    credentials: { sep: hash(credentials.sep), business: hash(credentials.business) },
  }
}
