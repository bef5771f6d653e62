-- Each statement of a file: what the bank calls it, and from which balance to which one it leads.
create table bank_statement_parts (
  id bigint generated always as identity primary key,
  statement_id uuid not null references bank_statements (id),
  -- Its place in the file, from 1.
  position integer not null,
  -- The bank's number or id of it, and the page; null: the format has none.
  number text,
  page text,
  opening numeric(24,7),
  -- YYYY-MM-DD, of the balances
  opening_day text,
  closing numeric(24,7),
  closing_day text,
  unique (statement_id, position)
);

-- What a statement says of one day: statements that overlap agree on it.
create table bank_statement_days (
  part_id bigint not null references bank_statement_parts (id),
  -- YYYY-MM-DD
  day text not null,
  opening numeric(24,7),
  closing numeric(24,7),
  -- Whether it has the day from its beginning, and to its end. 0: not known, 1: the bank says so, 2: it has days around it.
  starts smallint not null check (starts between 0 and 2),
  ends smallint not null check (ends between 0 and 2),
  -- Sum of the bookings in both directions, and a digest of their amounts.
  turnover numeric(24,7) not null,
  bookings bytea not null,
  -- Whether the statement has more days than this one.
  is_longer boolean not null,
  primary key (part_id, day)
);

-- As which line each line of each statement counts.
create table bank_line_places (
  part_id bigint not null references bank_statement_parts (id),
  -- In the file, from 1.
  position integer not null,
  line_id text not null references bank_lines (id),
  primary key (part_id, position)
);
create index bank_line_places_line on bank_line_places (line_id);

alter table bank_lines
  -- A digest of all that the bank says of the booking, without its day. Null: an older release read it.
  add column facts text,
  -- Where a booking has several transactions, each of which is a line: the booking's number in its file, its direction,
  -- amount and reference of the bank.
  add column booking integer,
  add column booking_direction text check (booking_direction in ('in', 'out')),
  add column booking_amount numeric(19,7),
  add column booking_reference text,
  -- The line that is the same booking, perhaps: a person decides.
  add column possible_duplicate_of text references bank_lines (id);
drop index bank_lines_same;
create index bank_lines_day on bank_lines (account, booked_on);
create index bank_lines_reference on bank_lines (account, bank_reference);

alter table bank_statements
  -- By which rule its lines were compared with earlier ones. 1: by the bank's reference alone, which lost bookings, so
  -- that the file may be read again.
  add column rule smallint not null default 1,
  add column possible_duplicates integer not null default 0;

-- Transactions that an older release recorded of one booking.
with batches as (
  select l.statement_id, l.booked_on, regexp_replace(l.bank_reference, '/[0-9]+$', '') as reference,
    min(l.position) as booking, sum(case l.direction when 'in' then l.amount else -l.amount end) as total
  from bank_lines l join bank_statements s on s.id = l.statement_id
  where l.bank_reference ~ '/[0-9]+$' and s.format in ('camt.053', 'camt.054')
  group by 1, 2, 3 having count(*) > 1
)
update bank_lines l
  set booking = b.booking, booking_reference = b.reference, booking_amount = abs(b.total),
    booking_direction = case when b.total < 0 then 'out' else 'in' end
  from batches b
  where l.statement_id = b.statement_id and l.booked_on = b.booked_on and l.bank_reference ~ '/[0-9]+$'
    and regexp_replace(l.bank_reference, '/[0-9]+$', '') = b.reference;

create trigger kept_facts before update of facts, booking, booking_direction, booking_amount, booking_reference,
  possible_duplicate_of on bank_lines for each row execute function keep_bank_records();
create trigger kept before delete or update on bank_statement_parts
  for each row execute function keep_bank_records();
create trigger kept before delete or update on bank_statement_days
  for each row execute function keep_bank_records();
create trigger kept before delete or update on bank_line_places
  for each row execute function keep_bank_records();
