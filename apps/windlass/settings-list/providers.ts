import { PLATFORM, CONTROL, group, type Setting } from './setting.ts'

export const providers: readonly Setting[] = [
  ...group('Administrator and mail', [
    {
      name: 'ADMIN_USERNAME',
      summary: 'name of the first owner among the administrators; owners invite the others in the console',
      secretOf: PLATFORM,
      decide: 'the administrator’s email address',
    },
    {
      name: 'ADMIN_PASSWORD',
      summary:
        'password of the first owner among the administrators, at least 12 characters and hard to guess',
      secretOf: PLATFORM,
      decide: 'a password of at least 12 characters that is hard to guess and used nowhere else',
    },
    {
      name: 'ADMIN_SECOND_FACTOR',
      summary: '`required` or `optional`: whether administrators need a passkey or an authenticator app',
      default: 'required; optional where DEPLOYMENT is local',
    },
    {
      name: 'ADMIN_OIDC_ISSUER',
      summary:
        'OpenID Connect provider that signs in administrators who accepted an invitation, such as https://login.example.org',
    },
    { name: 'ADMIN_OIDC_CLIENT_ID', summary: 'the platform’s client at that provider' },
    { name: 'ADMIN_OIDC_CLIENT_SECRET', summary: 'that client’s secret', secretOf: PLATFORM },
    {
      name: 'ADMIN_OIDC_TRUSTS_SECOND_FACTOR',
      summary: '`true`: a second factor that the provider reports counts as ours',
      default: 'false',
    },
    {
      name: 'SMTP_URL',
      summary: 'mail server; the mail catcher is then not started',
      default: 'the mail catcher',
      secretOf: PLATFORM,
      decide: 'smtps://user:password@mail.example.org',
    },
    {
      name: 'MAIL_FROM',
      summary: 'sender of emails',
      default: 'Windlass <no-reply@windlass.localhost>',
      decide: 'a sender that your mail server may use, such as "Windlass <no-reply@example.org>"',
    },
  ]),
  ...group('Identity verification', [
    { name: 'KYC_PROVIDER', summary: '`mock` (tests only) or `didit`', decide: 'didit' },
    {
      name: 'ALLOW_MOCK_KYC',
      summary: '`true` lets the mock run, which approves everybody',
      default: 'false',
    },
    { name: 'PROVIDER_API_KEY', summary: 'the provider’s API key', secretOf: [...PLATFORM, ...CONTROL] },
    { name: 'PROVIDER_API_URL', summary: 'the provider’s API, where it is not the public one' },
    { name: 'PROVIDER_WORKFLOW_ID', summary: 'the provider’s workflow' },
    {
      name: 'PROVIDER_WEBHOOK_SECRET',
      summary: 'secret of the provider’s webhooks; two, comma separated, while it is rotated',
      secretOf: [...PLATFORM, ...CONTROL],
      decide: 'the webhook secret that the provider shows',
    },
  ]),
  ...group('Exchange rates', [
    {
      name: 'FX_RATE_INR_USDC',
      summary: 'rupees for one USDC',
      default: '88.50',
      decide: 'a rate that you keep up to date',
    },
    {
      name: 'FX_RATE_EUR_USDC',
      summary:
        'euros for one USDC; any `FX_RATE_<code>_USDC` works, and anchors of XLM need `FX_RATE_XLM_USDC`, XLM for one USDC, or a source with `XLM`',
    },
    {
      name: 'FX_RATES_AT',
      summary:
        'time at which the fixed rates were valid (ISO 8601); `FX_RATES_MAX_AGE_SECONDS` later they are no longer used',
      default: 'none: they have no age',
    },
    {
      name: 'FX_RATES_URLS',
      summary:
        'addresses of exchange rates (JSON), separated by commas, in place of the fixed ones ([format](rails.md#exchange-rates))',
    },
    { name: 'FX_RATES_PATH', summary: 'a file of exchange rates in place of addresses, in the same format' },
    {
      name: 'FX_RATES_QUORUM',
      summary: 'how many addresses have to agree on a rate',
      default: 'more than half',
    },
    {
      name: 'FX_RATES_TOLERANCE_PERCENT',
      summary: 'how far rates that agree may be from their median',
      default: '1',
    },
    {
      name: 'FX_RATES_MAX_AGE_SECONDS',
      summary: 'rates that are older count as unknown: nothing is quoted by them',
      default: '3600',
    },
  ]),
]
