-- Each entry has the day on which it was booked, the day from which its money counts, and the day in whose period it is
-- (docs/adr/0118).
create table journal_settings (
  version bigint generated always as identity primary key,
  settings jsonb not null,
  by text not null,
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
create trigger kept before update or delete on journal_settings for each row
execute function refuse_to_change_history();

-- Closed days and months (docs/adr/0119). The message is what is signed: it names the SHA-256 of the content, and of the
-- message before it.
create table journal_closes (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('day', 'month')),
  -- Days are text, `YYYY-MM-DD`, as those of bank lines are.
  from_day text not null check (from_day ~ '^\d{4}-\d\d-\d\d$'),
  to_day text not null check (to_day >= from_day),
  content text not null,
  message text not null,
  signature text,
  by text not null,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  unique (kind, from_day)
);
create trigger kept before update or delete on journal_closes for each row
execute function refuse_to_change_history();

alter table bank_lines add column valued_on text;

alter table journal_entries add column booked_on text, add column valued_on text, add column counted_on text;
alter table journal_entries disable trigger added_only;
update journal_entries set booked_on = to_char(created_at at time zone 'UTC', 'YYYY-MM-DD');
-- What a line of a statement is about was booked on its day.
update journal_entries e set booked_on = l.booked_on from bank_lines l
  where e.cause like 'line:%' and split_part(e.cause, ':', 2) = l.id;
update journal_entries e set booked_on = l.booked_on from bank_lines l
  where e.cause = 'rail:' || l.rail || ':' || l.id;
update journal_entries e set booked_on = l.booked_on
  from (select distinct on (transfer_id) transfer_id, booked_on from bank_lines
    where state = 'matched' and direction = 'in' and order_id is null and transfer_id is not null
    order by transfer_id, booked_on) l
  where e.transfer_id = l.transfer_id and e.kind = 'deposit';
update journal_entries e set booked_on = l.booked_on
  from rail_orders o join (select distinct on (order_id) order_id, booked_on from bank_lines
    where state = 'matched' and direction = 'out' and order_id is not null order by order_id, booked_on) l
    on l.order_id = o.id
  where e.cause = 'order:' || o.cause and e.kind in ('payout', 'rail-return');
update journal_entries set valued_on = booked_on, counted_on = booked_on;
alter table journal_entries enable trigger added_only;
alter table journal_entries alter booked_on set not null, alter valued_on set not null, alter counted_on set not null,
  add constraint journal_entries_days check (booked_on ~ '^\d{4}-\d\d-\d\d$' and valued_on ~ '^\d{4}-\d\d-\d\d$');
create index journal_entries_counted on journal_entries (counted_on, created_at, id);

-- The days of an entry that has none: those that its transaction set, or the day in the anchor's time zone. It counts on
-- its booking day, or on the first day that is not closed. Who closes a period waits for entries under way.
create function date_journal_entry() returns trigger language plpgsql as $$
declare
  zone text := coalesce((select settings ->> 'timeZone' from journal_settings order by version desc limit 1), 'UTC');
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('journal-close', 0));
  new.booked_on := coalesce(new.booked_on, nullif(current_setting('windlass.booked_on', true), ''),
    to_char(new.created_at at time zone zone, 'YYYY-MM-DD'));
  new.valued_on := coalesce(new.valued_on, nullif(current_setting('windlass.valued_on', true), ''), new.booked_on);
  new.counted_on := greatest(new.booked_on, (select (max(to_day)::date + 1)::text from journal_closes));
  return new;
end $$;
create trigger dated before insert on journal_entries for each row execute function date_journal_entry();
