-- Finds the lines of one payer's account: a keyed hash of it. Null: money that left, a line without account and name, or one
-- that an earlier release read.
alter table bank_lines add column payer_digest text;
create index bank_lines_payer on bank_lines (payer_digest, created_at desc) where payer_digest is not null;
