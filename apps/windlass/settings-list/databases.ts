import { PLATFORM, CONTROL, SIGNER, group, type Setting } from './setting.ts'

export const databases: readonly Setting[] = [
  ...group('Databases', [
    {
      name: 'POSTGRES_PASSWORD',
      summary: 'superuser of the embedded Postgres; changed here, it is changed there at the next start',
      secretOf: [],
    },
    {
      name: 'PLATFORM_DATABASE_URL',
      summary: 'database of the platform API, in a Postgres 15 or newer of your own; so are the following',
      default: 'embedded',
      secretOf: PLATFORM,
    },
    {
      name: 'CONTROL_PLANE_DATABASE_URL',
      summary: 'database of the control plane',
      default: 'embedded',
      secretOf: CONTROL,
    },
    {
      name: 'AGGREGATOR_DATABASE_URL',
      summary: 'database of the aggregator',
      default: 'embedded',
      secretOf: ['aggregator'],
    },
    {
      name: 'SECRETS_STORE_DATABASE_URL',
      summary: 'database of the secrets store',
      default: 'embedded',
      secretOf: ['secrets-store'],
    },
    {
      name: 'SIGNER_DATABASE_URL',
      summary: 'database of the signer',
      default: 'embedded',
      secretOf: SIGNER,
    },
    {
      name: 'ANCHORS_DATABASE_URL',
      summary: 'role that creates a database for each anchor',
      default: 'embedded',
      secretOf: CONTROL,
    },
  ]),
  ...group('Backups', [
    {
      name: 'BACKUP_TO',
      summary:
        'folder for scheduled backups, best on another machine’s disk, or a bucket (`s3://bucket/folder`); by default also where the `backup` command writes',
      default: 'none are scheduled; `backup` writes to backups in WINDLASS_HOME',
    },
    {
      name: 'BACKUP_S3_ENDPOINT',
      summary: 'where the bucket is, such as `https://s3.example.com`; for stores other than AWS',
      default: 'AWS',
    },
    { name: 'BACKUP_S3_REGION', summary: 'region of the bucket', default: 'us-east-1' },
    {
      name: 'BACKUP_S3_ACCESS_KEY_ID',
      summary: 'key that may list, read, write and remove the bucket’s objects',
      secretOf: [],
    },
    { name: 'BACKUP_S3_SECRET_ACCESS_KEY', summary: 'its secret', secretOf: [] },
    {
      name: 'BACKUP_ENCRYPT_TO',
      summary: 'public keys (`age1…`, comma separated) whose owners can read backups',
    },
    {
      name: 'BACKUP_SIGNING_KEY',
      summary:
        'signs backups (Ed25519, 32 bytes in base64url); `npm run backup -- signer` prints its public key',
      secretOf: [],
    },
    { name: 'BACKUP_EVERY_HOURS', summary: 'hours between scheduled backups', default: '24' },
    { name: 'BACKUP_KEEP', summary: 'how many scheduled backups are kept', default: '7' },
    {
      name: 'BACKUP_LOG_SECONDS',
      summary:
        'seconds between copies of Postgres’ log to BACKUP_TO, by which any time can be restored; `0` stores none',
      default: '60',
    },
    {
      name: 'BACKUP_VERIFY_KEY_FILE',
      summary:
        'file with a key that reads backups: the newest one is then verified by itself, beside the databases',
    },
    { name: 'BACKUP_VERIFY_DAYS', summary: 'days between two such checks', default: '7' },
  ]),
]
