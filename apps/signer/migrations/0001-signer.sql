-- What is signed for an anchor, and for whom.
create table anchors (
  id text primary key,
  -- Null until the control plane has set them.
  terms jsonb,
  -- Null: the defaults that follow from the terms.
  limits jsonb,
  -- SHA-256 (hex) of the credentials of its servers; null: they may not have anything signed.
  sep_credential text unique,
  business_credential text unique,
  created_at timestamptz not null default clock_timestamp()
);

create table keys (
  anchor_id text not null references anchors,
  role text not null check (role in ('issuer', 'distribution', 'signing')),
  public_key text not null unique,
  -- Where the private key is, and what it is found by there: of a local key the encrypted seed.
  backend text not null check (backend in ('local', 'vault', 'aws-kms')),
  reference text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (anchor_id, role)
);

-- Payments that were signed. The ledger applies one transaction for each sequence number, so a row is one payment.
create table payments (
  anchor_id text not null references anchors,
  sequence numeric(20) not null,
  -- The largest that was signed with this sequence number.
  amount numeric(19) not null default 0,
  xlm numeric(19) not null default 0,
  signed_at timestamptz not null default clock_timestamp(),
  primary key (anchor_id, sequence)
);
create index payments_signed on payments (anchor_id, signed_at);

-- Requests that were refused, one row for each reason and hour.
create table stopped (
  anchor_id text not null references anchors,
  server text not null check (server in ('sep', 'business')),
  reason text not null,
  hour timestamptz not null,
  detail text not null,
  count integer not null default 1,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  primary key (anchor_id, server, reason, hour)
);
