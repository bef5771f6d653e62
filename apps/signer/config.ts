import { StrKey } from '@stellar/stellar-sdk/base'
import { parsePositiveAmount } from '@windlass/money/amount.ts'
import {
  ConfigError,
  type Env,
  databaseAddress,
  deployment,
  integer,
  keyring,
  optional,
  required,
  secret,
  url,
} from '@windlass/service/process/env.ts'
import { signerFromSeed, type Signer } from '@windlass/stellar/ed25519.ts'
import { TEST_NETWORK, type LedgerSource } from '@windlass/stellar/network.ts'

export interface Config {
  port: number
  bindHost: string
  databaseUrl: string
  /** By which the control plane proves itself. */
  secret: string
  /** Encrypts local keys, the newest first. */
  keys: Map<number, Buffer>
  /** Where new keys are made; existing ones stay where they are. */
  backend: 'local' | 'vault' | 'aws-kms'
  vault: VaultSettings | null
  kms: KmsSettings | null
  /** Horizon, or the gateway of this machine to it: sequence numbers are read there. */
  ledger: LedgerSource
  /** The platform's own account, which pays for anchors' accounts where there is no faucet. */
  funding: { signer: Signer | null; xlmPerHour: string }
}

export interface VaultSettings {
  address: string
  /** Where the transit secrets engine is mounted. */
  mount: string
  /** Certificate of the authority that signed Vault's own. Default: those that Node trusts. */
  ca?: string
  /** Read before each request: an agent that renews it writes it to a file. */
  token(): string
}

export interface KmsSettings {
  region: string
  /** Default: AWS itself. */
  endpoint?: string
  /** Default: what the AWS SDK finds, such as the machine's role. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** Throws `ConfigError` naming the setting that is missing or wrong. */
export function loadConfig(env: Env): Config {
  const backend = optional(env, 'SIGNER_BACKEND') ?? 'local'
  if (backend !== 'local' && backend !== 'vault' && backend !== 'aws-kms') {
    throw new ConfigError('SIGNER_BACKEND must be local, vault or aws-kms')
  }
  const vault = vaultSettings(env)
  const kms = kmsSettings(env)
  if (backend === 'vault' && !vault) throw new ConfigError('SIGNER_BACKEND=vault needs VAULT_ADDR')
  if (backend === 'aws-kms' && !kms) throw new ConfigError('SIGNER_BACKEND=aws-kms needs KMS_REGION')
  return {
    port: integer(env, 'SIGNER_PORT', 8002),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: databaseAddress(env, 'SIGNER_DATABASE_URL'),
    secret: secret(env, 'SIGNER_SECRET'),
    keys: keyring(env, 'SIGNER_KEY'),
    backend,
    vault,
    kms,
    ledger: {
      url: url(env, 'LEDGER_GATEWAY_URL', url(env, 'HORIZON_URL', 'http://localhost:8000')),
      passphrase: optional(env, 'NETWORK_PASSPHRASE') ?? TEST_NETWORK,
    },
    funding: funding(env),
  }
}

function funding(env: Env): Config['funding'] {
  const seed = optional(env, 'FUNDING_ACCOUNT')
  if (!seed && deployment(env).mainnet) {
    throw new ConfigError('FUNDING_ACCOUNT must be set: the public network has no friendbot')
  }
  if (seed && !StrKey.isValidEd25519SecretSeed(seed))
    throw new ConfigError('FUNDING_ACCOUNT must be a seed (S…)')
  const xlmPerHour = optional(env, 'FUNDING_XLM_PER_HOUR') ?? '1000'
  try {
    parsePositiveAmount(xlmPerHour)
  } catch (error) {
    throw new ConfigError(`FUNDING_XLM_PER_HOUR: ${(error as Error).message}`)
  }
  return { signer: seed ? signerFromSeed(seed) : null, xlmPerHour }
}

function vaultSettings(env: Env): VaultSettings | null {
  if (optional(env, 'VAULT_ADDR') === undefined) return null
  required(env, 'VAULT_TOKEN')
  const ca = optional(env, 'VAULT_CA')
  return {
    ...(ca ? { ca } : {}),
    address: url(env, 'VAULT_ADDR'),
    mount: optional(env, 'VAULT_TRANSIT_MOUNT') ?? 'transit',
    token: () => required(env, 'VAULT_TOKEN'),
  }
}

function kmsSettings(env: Env): KmsSettings | null {
  const region = optional(env, 'KMS_REGION')
  if (region === undefined) return null
  const accessKeyId = optional(env, 'KMS_ACCESS_KEY_ID')
  const secretAccessKey = optional(env, 'KMS_SECRET_ACCESS_KEY')
  return {
    region,
    ...(optional(env, 'KMS_ENDPOINT') ? { endpoint: url(env, 'KMS_ENDPOINT') } : {}),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  }
}
