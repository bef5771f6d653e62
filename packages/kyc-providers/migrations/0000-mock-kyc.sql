-- Sessions of the mock provider, which plays the provider's side: its page, its decision and its webhook.
create table mock_kyc_sessions (
  id text primary key,
  customer_id text not null,
  return_url text,
  created_at timestamptz not null default now(),
  -- What the webhook will say.
  verdict text not null default 'APPROVED' check (verdict in ('APPROVED', 'DECLINED')),
  -- A wrong signature, to see that it is refused.
  forged boolean not null default false,
  -- When the webhook is sent; infinity while somebody holds it on the page.
  due_at timestamptz not null,
  completed_at timestamptz,
  attempts integer not null default 0,
  delivered_at timestamptz,
  -- HTTP status of the last delivery.
  last_status integer
);
create index mock_kyc_sessions_due on mock_kyc_sessions (due_at) where delivered_at is null;
