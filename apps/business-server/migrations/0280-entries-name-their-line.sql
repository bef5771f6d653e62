-- An entry names the line of a bank's statement that it rests on, so that each amount leads to its file and to who decided
-- about it (docs/adr/0175).
alter table journal_entries add column line_id text;
alter table journal_entries disable trigger added_only;
update journal_entries e set line_id = l.id from bank_lines l
  where e.cause like 'line:%' and split_part(e.cause, ':', 2) = l.id;
update journal_entries e set line_id = l.id from bank_lines l where e.cause = 'rail:' || l.rail || ':' || l.id;
update journal_entries e set line_id = l.id
  from (select distinct on (transfer_id) transfer_id, id from bank_lines
    where state = 'matched' and direction = 'in' and order_id is null and transfer_id is not null
    order by transfer_id, booked_on) l
  where e.transfer_id = l.transfer_id and e.kind = 'deposit';
update journal_entries e set line_id = l.id
  from rail_orders o join (select distinct on (order_id) order_id, id from bank_lines
    where state = 'matched' and direction = 'out' and order_id is not null order by order_id, booked_on) l
    on l.order_id = o.id
  where e.cause = 'order:' || o.cause and e.kind in ('payout', 'rail-return');
update journal_entries e set line_id = o.line_id from journal_entries o where e.reverses = o.id and o.line_id is not null;
alter table journal_entries enable trigger added_only;

create or replace function date_journal_entry() returns trigger language plpgsql as $$
declare
  zone text := coalesce((select settings ->> 'timeZone' from journal_settings order by version desc limit 1), 'UTC');
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('journal-close', 0));
  new.booked_on := coalesce(new.booked_on, nullif(current_setting('windlass.booked_on', true), ''),
    to_char(new.created_at at time zone zone, 'YYYY-MM-DD'));
  new.valued_on := coalesce(new.valued_on, nullif(current_setting('windlass.valued_on', true), ''), new.booked_on);
  new.counted_on := greatest(new.booked_on, (select (max(to_day)::date + 1)::text from journal_closes));
  new.line_id := coalesce(new.line_id, nullif(current_setting('windlass.line_id', true), ''));
  return new;
end $$;
