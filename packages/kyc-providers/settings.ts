import {
  ConfigError,
  deployment,
  flag,
  optional,
  required,
  url,
  type Env,
} from '@windlass/service/process/env.ts'

export type KycSettings = { webhookSecrets: readonly string[] } & (
  { provider: 'mock' } | { provider: 'didit'; apiKey: string; workflowId: string; apiUrl: string }
)

/**
 * KYC_PROVIDER, PROVIDER_API_KEY, PROVIDER_WORKFLOW_ID, PROVIDER_WEBHOOK_SECRET (two, comma-separated, while one
 * is rotated) and ALLOW_MOCK_KYC. Throws `ConfigError` in one clear line, above all for the mock on the public
 * network or without its permission.
 */
export function loadKycSettings(env: Env): KycSettings {
  const provider = required(env, 'KYC_PROVIDER')
  const { mainnet } = deployment(env)
  if (provider === 'mock') {
    if (mainnet) throw new ConfigError('KYC_PROVIDER=mock must not run with IS_MAINNET=true')
    if (!flag(env, 'ALLOW_MOCK_KYC')) {
      throw new ConfigError('KYC_PROVIDER=mock needs ALLOW_MOCK_KYC=true: it approves everyone')
    }
    return { provider, webhookSecrets: webhookSecrets(env) }
  }
  if (provider === 'didit') {
    return {
      provider,
      webhookSecrets: webhookSecrets(env),
      apiKey: required(env, 'PROVIDER_API_KEY'),
      workflowId: required(env, 'PROVIDER_WORKFLOW_ID'),
      apiUrl: url(env, 'PROVIDER_API_URL', 'https://verification.didit.me'),
    }
  }
  throw new ConfigError(`KYC_PROVIDER must be mock or didit, not "${provider.slice(0, 40)}"`)
}

function webhookSecrets(env: Env): string[] {
  const secrets = (optional(env, 'PROVIDER_WEBHOOK_SECRET') ?? '').split(',').map(each => each.trim())
  const given = secrets.filter(Boolean)
  if (given.length === 0) throw new ConfigError('PROVIDER_WEBHOOK_SECRET is not set')
  if (given.length > 2) throw new ConfigError('PROVIDER_WEBHOOK_SECRET holds more than two secrets')
  if (given.some(each => each.length < 16)) {
    throw new ConfigError('PROVIDER_WEBHOOK_SECRET must have at least 16 characters')
  }
  return given
}
