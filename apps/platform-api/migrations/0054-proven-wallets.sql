-- The owner of an address may prove it on each network they linked it for. That nobody else does is held by a lock on
-- the address while it is proven; the index keeps the lookup by address quick.
drop index wallets_one_proven_owner;
create unique index wallets_one_proven_owner on wallets (address, network) where verified_at is not null;
