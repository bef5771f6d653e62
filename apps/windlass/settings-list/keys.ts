import { PLATFORM, CONTROL, SIGNER, group, type Setting } from './setting.ts'

const CONSOLES = ['founder-console', 'admin-console', 'customer-portal']
const AWS_CLIENTS = ['secrets-store', 'platform-api', 'control-plane']

export const keys: readonly Setting[] = [
  ...group('Keys of ledger accounts', [
    {
      name: 'SIGNER_BACKEND',
      summary:
        'where the keys of new anchors are made: `local` (encrypted in the signer’s database), `vault` or `aws-kms`',
      default: 'local',
    },
    { name: 'SIGNER_KEY', summary: 'encrypts local keys, as MASTER_KEY', secretOf: SIGNER },
    {
      name: 'SIGNER_SECRET',
      summary: 'proves the control plane to the signer',
      secretOf: [...SIGNER, ...CONTROL],
    },
    { name: 'VAULT_ADDR', summary: 'HashiCorp Vault, for `vault`' },
    {
      name: 'VAULT_TOKEN',
      summary:
        'token for Vault; `VAULT_TOKEN_FILE` is read before each request, so that an agent can renew it',
      secretOf: SIGNER,
    },
    {
      name: 'VAULT_CA',
      summary:
        'certificate (PEM) of the authority that signed Vault’s own, where it is not a public one; `VAULT_CA_FILE` names its file',
      secretOf: SIGNER,
    },
    { name: 'VAULT_TRANSIT_MOUNT', summary: 'path of Vault’s transit secrets engine', default: 'transit' },
    { name: 'KMS_REGION', summary: 'AWS region, for `aws-kms`' },
    { name: 'KMS_ENDPOINT', summary: 'address of AWS KMS', default: 'AWS itself' },
    {
      name: 'KMS_ACCESS_KEY_ID',
      summary: 'credentials for AWS KMS',
      default: 'the machine’s role',
      secretOf: SIGNER,
    },
    { name: 'KMS_SECRET_ACCESS_KEY', summary: 'credentials for AWS KMS', secretOf: SIGNER },
  ]),
  ...group('Keys and secrets between services', [
    {
      name: 'SERVICE_SECRET',
      summary: 'proves platform services to each other',
      secretOf: ['platform-api', 'control-plane', 'aggregator', 'reverse-proxy'],
    },
    {
      name: 'PROXY_SECRET',
      summary: 'proves the reverse proxy',
      secretOf: ['reverse-proxy', 'platform-api', 'aggregator', 'control-plane', ...CONSOLES],
    },
    {
      name: 'MASTER_KEY',
      summary: 'encrypts anchors’ secrets: `v2:<base64>,v1:<base64>`, the newest first',
      secretOf: CONTROL,
    },
    {
      name: 'PLATFORM_KEY',
      summary:
        'encrypts emails and secrets in the platform’s database and signs its audit log, as MASTER_KEY',
      secretOf: PLATFORM,
    },
    {
      name: 'AUDIT_LEDGER_KEY',
      summary: 'seed of the account whose data entry on the ledger names the last entry of the audit log',
      default: 'none: only signed; locally an account of its own',
      secretOf: PLATFORM,
    },
    {
      name: 'AUDIT_LEDGER_ACCOUNT',
      summary: 'that account, for `audit:verify` where the key is not',
      default: 'of AUDIT_LEDGER_KEY',
    },
    {
      name: 'AGGREGATOR_KEY',
      summary:
        'encrypts anchors’ summary secrets and the secrets of wallets’ webhooks in the aggregator’s database, as MASTER_KEY',
      default: 'a key that follows from SERVICE_SECRET',
      secretOf: ['aggregator'],
    },
    {
      name: 'SECRETS_STORE_KEY',
      summary: 'encrypts the secrets store, as MASTER_KEY',
      secretOf: ['secrets-store'],
    },
    { name: 'OPERATOR_TOKEN_KEY', summary: 'signs operators’ sessions', secretOf: PLATFORM },
    { name: 'CUSTOMER_TOKEN_KEY', summary: 'signs customers’ sessions', secretOf: PLATFORM },
    { name: 'ADMIN_TOKEN_KEY', summary: 'signs administrators’ sessions', secretOf: PLATFORM },
    { name: 'OTP_KEY', summary: 'keys the hashes of one-time codes', secretOf: PLATFORM },
    { name: 'AWS_REGION', summary: 'region of the secrets store', default: 'local' },
    { name: 'AWS_ACCESS_KEY_ID', summary: 'signs requests to the secrets store', secretOf: AWS_CLIENTS },
    { name: 'AWS_SECRET_ACCESS_KEY', summary: 'signs requests to the secrets store', secretOf: AWS_CLIENTS },
    { name: 'AWS_SESSION_TOKEN', summary: 'session of temporary AWS credentials', secretOf: AWS_CLIENTS },
  ]),
]
