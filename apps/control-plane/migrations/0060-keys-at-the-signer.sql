-- The keys of ledger accounts move to the signer: of them only the public half stays here.
alter table anchor_secrets alter column sealed drop not null;
alter table anchor_secrets add check (sealed is not null or public_key is not null);
