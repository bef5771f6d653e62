import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createSigningKey } from './backups/signature.ts'
import { requireBaseEnvOfData } from './data-keys.ts'
import { homeAt } from './home.ts'

/** Variables by name, as an environment holds them. */
export type Variables = Record<string, string>

/**
 * Reads the base env file, or generates it with random secrets, mode 0600. Two starts at the same time get the same
 * file.
 *
 * @returns its variables, and whether it was generated now.
 * @throws {ConfigError} where it is missing and the databases beside it are there, or those of production somewhere.
 */
export function readOrCreateBaseEnv(file: string): { variables: Variables; generated: boolean } {
  const generated = !existsSync(file) && create(file)
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  return { variables: withLaterSecrets(file), generated }
}

/** Secrets that files of earlier versions lack. */
const LATER_SECRETS: Readonly<Record<string, () => string>> = {
  SIGNER_KEY: () => `v1:${randomBytes(32).toString('base64')}`,
  SIGNER_SECRET: () => randomBytes(32).toString('base64url'),
  BACKUP_SIGNING_KEY: createSigningKey,
}

function withLaterSecrets(file: string): Variables {
  const variables = parseEnvFile(readFileSync(file, 'utf8'), file)
  for (const [name, make] of Object.entries(LATER_SECRETS)) {
    if (variables[name] !== undefined || !variables.MASTER_KEY) continue
    variables[name] = make()
    rememberInBaseEnv(file, name, variables[name], 'Made by a later version of Windlass.')
  }
  return variables
}

/** Adds a choice to the base env file, so that later starts repeat it. */
export function rememberInBaseEnv(file: string, name: string, value: string, why: string): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, `${text.trimEnd()}\n\n# ${why}\n${name}=${value}\n`, { mode: 0o600 })
}

function create(file: string): boolean {
  requireBaseEnvOfData(homeAt(dirname(file)))
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, generateBaseEnv(), { mode: 0o600 })
  try {
    linkSync(unfinished, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** A base env file for a stack on this machine. Every secret is random. */
export function generateBaseEnv(): string {
  const token = (bytes = 32) => randomBytes(bytes).toString('base64url')
  const keyring = () => `v1:${randomBytes(32).toString('base64')}`
  return `# Made by Windlass for a stack on this machine. Secrets are random: keep this file to yourself.
# Variables of the environment win over it. Removing it makes the data beside it unreadable.
DEPLOYMENT=local
NETWORK_PASSPHRASE="Test SDF Network ; September 2015"
FX_RATE_INR_USDC=88.50
HEALTH_POLL_SECONDS=15
ALLOW_PRIVATE_ADDRESSES=true
MAIL_FROM="Windlass <no-reply@windlass.localhost>"

# Identity verification: the mock approves by itself within seconds and carries a TEST banner.
KYC_PROVIDER=mock
ALLOW_MOCK_KYC=true
PROVIDER_WEBHOOK_SECRET=whsec_${randomBytes(32).toString('base64')}

ADMIN_USERNAME=admin@windlass.localhost
ADMIN_PASSWORD=${token(15)}

# Superuser of the embedded Postgres; the services' roles get passwords of their own, derived from it.
POSTGRES_PASSWORD=${token()}

# Between the platform's own services.
SERVICE_SECRET=${token()}
PROXY_SECRET=${token()}
SIGNER_SECRET=${token()}

# Encryption at rest (keyrings: the first key seals, all of them open).
MASTER_KEY=${keyring()}
PLATFORM_KEY=${keyring()}
SECRETS_STORE_KEY=${keyring()}
SIGNER_KEY=${keyring()}
AGGREGATOR_KEY=${keyring()}

# Proves that a backup was made here; the file with the backups' key holds its public key.
BACKUP_SIGNING_KEY=${createSigningKey()}

# Sessions and one-time codes.
OPERATOR_TOKEN_KEY=${token(48)}
CUSTOMER_TOKEN_KEY=${token(48)}
ADMIN_TOKEN_KEY=${token(48)}
OTP_KEY=${token(48)}

# What the secrets store's clients sign with (SigV4).
AWS_REGION=local
AWS_ACCESS_KEY_ID=WINDLASS${randomBytes(6).toString('hex').toUpperCase()}
AWS_SECRET_ACCESS_KEY=${token(30)}
`
}

/**
 * Lines of NAME=value; `#` begins a comment line, quotes around a value are removed.
 *
 * @throws {Error} naming the line that is neither.
 */
export function parseEnvFile(text: string, file: string): Variables {
  const variables: Variables = {}
  text.split(/\r?\n/).forEach((line, index) => {
    if (/^\s*(#|$)/.test(line)) return
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line)
    if (match === null) throw new Error(`${file}, line ${index + 1}: expected NAME=value`)
    const [, name = '', value = ''] = match
    variables[name] = /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
  })
  return variables
}
