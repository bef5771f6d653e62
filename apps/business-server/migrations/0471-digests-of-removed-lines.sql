-- A digest of what a bank said of a booking goes with what it said: who guesses it, finds it. Nothing is compared with it then, as
-- days with removed bookings are not read again.
drop trigger kept_facts on bank_lines;
update bank_lines set facts = null where removed_at is not null and facts is not null;
create trigger kept_facts before update of booking, booking_direction, booking_amount, booking_reference,
  possible_duplicate_of on bank_lines for each row execute function keep_bank_records();
create trigger kept_digest before update of facts on bank_lines for each row
when (new.facts is not null or new.removed_at is null) execute function keep_bank_records();
