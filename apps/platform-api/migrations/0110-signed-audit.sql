-- The head of the audit log as it was last signed, with a key that this database does not hold. One row that is
-- overwritten, so that an older signature is nowhere to be found.
create table audit_signature (
  id boolean primary key default true check (id),
  sequence bigint not null,
  hash bytea not null,
  key_version smallint not null,
  mac bytea not null,
  signed_at timestamptz not null
);

-- Entries are permanent. Their owner could drop these triggers; the signature and the ledger show it.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the audit log are permanent' using errcode = 'insufficient_privilege';
end $$;
create trigger permanent before update or delete on audit_log for each row execute function refuse_audit_change();
create trigger permanent_whole before truncate on audit_log for each statement execute function refuse_audit_change();

-- For an operator's superuser: gives the log to a role of its own, which leaves the platform's login (`writer`) only
-- what it needs to add and read entries. `select protect_audit_log('windlass_audit', 'platform')`
create function protect_audit_log(owner text, writer text) returns void language plpgsql as $$
declare
  audit_table text;
begin
  foreach audit_table in array array['audit_log', 'audit_head', 'audit_signature'] loop
    execute format('alter table %I owner to %I', audit_table, owner);
    execute format('revoke all on %I from %I', audit_table, writer);
  end loop;
  execute format('grant select, insert on audit_log to %I', writer);
  execute format('grant select, update on audit_head to %I', writer);
  execute format('grant select, insert, update on audit_signature to %I', writer);
end $$;
revoke execute on function protect_audit_log (text, text) from public;
