create table api_keys (
  id text primary key,
  anchor_id text not null references anchors,
  name text not null,
  prefix text not null,
  -- SHA-256: the key holds 190 random bits, a slow hash would add nothing.
  key_hash bytea not null unique,
  scopes text[] not null,
  created_by text not null references users,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_anchor on api_keys (anchor_id, created_at desc);
