-- What people decided about a hit is bound (docs/adr/0202): the last decision, and that it is cleared.
alter table screening_hits add column cleared bytea, add column decided bytea;
-- What a hit is about, and what it holds, stays as it was found.
create trigger kept before delete or update of id, name_id, list, source, entry_id, entry_name, detail, score, transfer_id,
  velocity, country, outside, country_key, created_at on screening_hits
  for each row execute function refuse_to_change_history();
create trigger kept before delete or update on screening_holds for each row execute function refuse_to_change_history();
