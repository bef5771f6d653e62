import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { readAnchorConfig } from '@windlass/service/process/anchor-file.ts'
import {
  amount,
  ConfigError,
  deployment,
  flag,
  integer,
  optional,
  required,
  secret,
  whereThere,
  type Env,
} from '@windlass/service/process/env.ts'
import { readListSettings, type ListSettings } from '@windlass/service/process/list-settings.ts'
import { readSecondSource, type SecondSourceSettings } from '@windlass/service/process/second-source.ts'
import type { Amount } from '@windlass/money/amount.ts'
import type { History } from '@windlass/stellar/archive/prove.ts'
import { historyIn } from '@windlass/stellar/archive/settings.ts'
import { DEFAULT_MAX_FEE } from '@windlass/stellar/fees.ts'
import { join } from 'node:path'
import { detailsKeys } from './details-keys.ts'
import { type FxRates, readFxRates } from '@windlass/service/process/fixed-rates.ts'
import { type RailSettings, readRailSettings } from './rails/settings.ts'

export interface Config {
  anchor: AnchorConfig
  port: number
  bindHost: string
  databaseUrl: string
  /** An upgrade of this anchor began and was not completed: its tables may be those of a newer release. */
  databaseMayBeNewer: boolean
  /** The most that is offered for an operation on the ledger, in stroops. */
  maxFee: bigint
  /** ClamAV's clamd, which scans customers' files: a socket's path or `host:port`. */
  clamd: string | undefined
  /** Where bank statements are put, in a folder for each rail. */
  statements: string | undefined
  /** A Horizon with full history, for what the network's own no longer has. */
  historyHorizonUrl: string | undefined
  /** Another, independent source of the ledger. */
  second: SecondSourceSettings
  /** Where history is published with validators' signatures; null: withdrawals are not proven. */
  archives: History | null
  /** Up to how many units a withdrawal is paid out without a proof. */
  proofLimit: Amount
  /** Who signs payments of the distribution account: the signer, or on a developer's machine its seed (`S…`). */
  signing: { url: string; credential: string } | { seed: string }
  secrets: {
    /** For the platform's internal realm. */
    service: string
    /** Sent by the health worker to read the summary. */
    summary: string
    /** Between this server and the SEP server, as `X-Api-Key`. */
    link: string
    /** Signs wallets' tokens and the interactive pages'. */
    jwt: string
  }
  /** Proves the reverse proxy, which says whose requests it passes on. */
  proxySecret: string | undefined
  /** Encrypt personal data, the newest first, by version. */
  detailsKeys: Map<number, Buffer>
  /** Those of them that bind what moves money: see {@link detailsKeys}. */
  bindingKeys: Map<number, Buffer>
  /** The anchor's rails, by name. */
  rails: ReadonlyMap<string, RailSettings>
  fx: FxRates
  /** Where sanctions lists come from, and what happens without one. */
  lists: ListSettings
  local: boolean
  mainnet: boolean
  /** On a developer's machine: where Razorpay's API is, for tests. */
  railProviderUrl?: string
  /** Outside production: the point at which this process kills itself, for tests of recovery. */
  faultPoint?: string
}

/** @throws {ConfigError} naming the setting that is missing or wrong. */
export function loadConfig(env: Env): Config {
  const { local, mainnet } = deployment(env)
  const link = secret(env, 'LINK_SECRET')
  const anchor = readAnchorConfig(required(env, 'ANCHOR_CONFIG'))
  return {
    anchor,
    port: integer(env, 'PORT', 8090),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: required(env, 'DATABASE_URL'),
    databaseMayBeNewer: flag(env, 'DATABASE_MAY_BE_NEWER'),
    maxFee: BigInt(integer(env, 'MAX_FEE_STROOPS', Number(DEFAULT_MAX_FEE))),
    clamd: optional(env, 'CLAMD_ADDRESS'),
    statements: statements(env, anchor),
    historyHorizonUrl: optional(env, 'HISTORY_HORIZON_URL')?.replace(/\/+$/, ''),
    second: readSecondSource(env, { mainnet }),
    archives: archives(env, anchor.network.passphrase),
    proofLimit: amount(env, 'PROOF_LIMIT', '1000'),
    signing: signing(env, anchor, local),
    secrets: {
      service: secret(env, 'ANCHOR_SERVICE_SECRET'),
      summary: secret(env, 'SUMMARY_SECRET', 16),
      link,
      jwt: secret(env, 'SEP_JWT_SECRET'),
    },
    proxySecret: whereThere(env, 'PROXY_SECRET'),
    ...detailsKeys(env, link),
    rails: readRailSettings(env, { rails: anchor.plan.rails, mainnet, fallbackSecret: link }),
    lists: readListSettings(env, { local }),
    fx: readFxRates(env, local, anchor.fxRates),
    local,
    mainnet,
    faultPoint: local ? optional(env, 'FAULT_POINT') : undefined,
    railProviderUrl: local ? optional(env, 'RAIL_PROVIDER_URL') : undefined,
  }
}

function archives(env: Env, passphrase: string): History | null {
  try {
    return historyIn(env, passphrase)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

function statements(env: Env, { plan }: AnchorConfig): string | undefined {
  const folder = optional(env, 'STATEMENTS_FOLDER')
  return folder && join(folder, plan.subdomain)
}

function signing(env: Env, { signerUrl }: AnchorConfig, local: boolean): Config['signing'] {
  if (signerUrl) return { url: signerUrl, credential: secret(env, 'SIGNER_CREDENTIAL') }
  if (local) return { seed: required(env, 'DISTRIBUTION_KEY') }
  throw new ConfigError('ANCHOR_CONFIG must have signerUrl: in production no server has a key')
}
