-- Which anchor's login proved the wallet; null: the customer proved it to the platform itself.
alter table wallets add column proven_at_anchor text references anchors (id);

-- Logins at anchors that proved a wallet: each does so once.
create table login_proofs (
  transaction_hash bytea primary key,
  wallet_id text references wallets (id) on delete set null,
  anchor_id text not null references anchors (id),
  used_at timestamptz not null
);
